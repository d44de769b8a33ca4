// Moving exactly, by keys alone: a tool, an axis, a number (G x 2 Enter). Pure.
import { POSE } from '../live/protocol'
import type { Axes, Vector } from './convention'

export type Act = 'translate' | 'rotate' | 'scale'
export type Axis = 'x' | 'y' | 'z'

export interface Exact {
  act: Act
  axis: Axis
  typed: string
}

// What a key makes of it; undefined: the key is none of its keys.
export function typed(exact: Exact | null, act: Act, key: string): Exact | undefined {
  if (key === 'x' || key === 'y' || key === 'z') return { act, axis: key, typed: exact?.typed ?? '' }
  if (!exact) return undefined
  if (/^[0-9.]$/.test(key) && exact.typed.length < 16) return { ...exact, typed: exact.typed + key }
  if (key === '-') return { ...exact, typed: exact.typed.startsWith('-') ? exact.typed.slice(1) : '-' + exact.typed }
  if (key === 'Backspace') return { ...exact, typed: exact.typed.slice(0, -1) }
  return undefined
}

const words = { translate: 'Move', rotate: 'Turn', scale: 'Scale' }
export function wordsOf({ act, axis, typed }: Exact, unit: string): string {
  return `${words[act]} ${axis} ${typed || '…'}${{ translate: ' ' + unit, rotate: '°', scale: ' times' }[act]}`
}

const signOf = ([x, y, z]: Axes) => Math.sign(
  x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) + x[2] * (y[0] * z[1] - y[1] * z[0]),
)

// The pose behind it, or null where there is no number yet. The axes are those that are shown; in
// left-handed ones a turn goes the other way.
export function moved(exact: Exact, pose: ArrayLike<number>, { axes, unit }: { axes: Axes; unit: string }): Float64Array | null {
  const number = Number(exact.typed || NaN)
  if (!Number.isFinite(number)) return null
  const out = Float64Array.from(pose).slice(0, POSE)
  const way = axes[{ x: 0, y: 1, z: 2 }[exact.axis]]!
  const metres = unit === 'cm' ? number / 100 : number
  if (exact.act === 'translate') way.forEach((part, i) => (out[i]! += part * metres))
  else if (exact.act === 'scale') way.forEach((part, i) => part && (out[7 + i]! *= number))
  else turn(out, way, (signOf(axes) * number * Math.PI) / 180)
  return out
}

function turn(out: Float64Array, way: Vector, angle: number) {
  const [ax, ay, az] = way.map(part => part * Math.sin(angle / 2)) as Vector
  const aw = Math.cos(angle / 2)
  const [x, y, z, w] = [out[3]!, out[4]!, out[5]!, out[6]!]
  out[3] = aw * x + ax * w + ay * z - az * y
  out[4] = aw * y - ax * z + ay * w + az * x
  out[5] = aw * z + ax * y - ay * x + az * w
  out[6] = aw * w - ax * x - ay * y - az * z
}
