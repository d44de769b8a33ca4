import { Malformed } from './errors.js'

/** 16 numbers, row-major, translation at 3, 7, 11. */
export type Matrix = number[]
export const IDENTITY: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]

/** M = T * R * S; the quaternion is w x y z. */
export interface Parts {
  translation: [number, number, number]
  quaternion: [number, number, number, number]
  scale: [number, number, number]
}

/** The order of operations is that of the server, so the numbers are the same to the bit. */
export function compose({ translation: [tx, ty, tz], quaternion: [w, x, y, z], scale: [sx, sy, sz] }: Parts): Matrix {
  const f = 2 / (w * w + x * x + y * y + z * z)
  return [(1 - f * (y * y + z * z)) * sx, f * (x * y - w * z) * sy, f * (x * z + w * y) * sz, tx,
    f * (x * y + w * z) * sx, (1 - f * (x * x + z * z)) * sy, f * (y * z - w * x) * sz, ty,
    f * (x * z - w * y) * sx, f * (y * z + w * x) * sy, (1 - f * (x * x + y * y)) * sz, tz,
    0, 0, 0, 1]
}

/** The transform of a packed datagram. */
export function fromBytes(data: Uint8Array): Matrix {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  let matrix: Matrix
  if (data.length === 128) {
    matrix = Array.from({ length: 16 }, (_, i) => view.getFloat64(8 * i, true))
  } else if (data.length === 52) {
    const d = (i: number) => view.getFloat64(8 * i, true), f = (i: number) => view.getFloat32(24 + 4 * i, true)
    const quaternion: Parts['quaternion'] = [f(0), f(1), f(2), f(3)]
    const squared = quaternion.reduce((sum, value) => sum + value * value, 0)
    if (!(squared >= 0.25 && squared <= 4)) throw new Malformed('packed: a quaternion is far from length 1')
    matrix = compose({ translation: [d(0), d(1), d(2)], quaternion, scale: [f(4), f(5), f(6)] })
  } else {
    throw new Malformed('packed: a transform has neither 52 nor 128 bytes')
  }
  if (!matrix.every(Number.isFinite)) throw new Malformed('packed: a transform is not finite')
  return matrix
}

/** undefined: it is sheared, flat or not affine. A mirror is in the first scale. */
export function decompose(m: readonly number[]): Parts | undefined {
  const at = (i: number) => m[i] as number
  if (at(12) !== 0 || at(13) !== 0 || at(14) !== 0 || at(15) !== 1) return undefined
  const axes = [0, 1, 2].map(column => [at(column), at(4 + column), at(8 + column)] as [number, number, number])
  const scale = axes.map(axis => Math.hypot(...axis)) as [number, number, number]
  if (!scale.every(length => length > 0 && Number.isFinite(length))) return undefined
  const [a, b, c] = axes.map((axis, i) => axis.map(value => value / (scale[i] as number))) as [number[], number[], number[]]
  const dot = (p: number[], q: number[]) => p.reduce((sum, value, i) => sum + value * (q[i] as number), 0)
  if (Math.max(Math.abs(dot(a, b)), Math.abs(dot(a, c)), Math.abs(dot(b, c))) > 1e-5) return undefined
  const [a0, a1, a2] = a as [number, number, number], [b0, b1, b2] = b as [number, number, number]
  const [c0, c1, c2] = c as [number, number, number]
  const mirror = a0 * (b1 * c2 - b2 * c1) - a1 * (b0 * c2 - b2 * c0) + a2 * (b0 * c1 - b1 * c0) < 0 ? -1 : 1
  scale[0] *= mirror
  return { translation: [at(3), at(7), at(11)], scale, quaternion: quaternionOf([a0 * mirror, a1 * mirror, a2 * mirror], [b0, b1, b2], [c0, c1, c2]) }
}

type Axis = [number, number, number]

/** The rotation, w x y z, that turns the axes x, y, z into these of length 1: from its largest member, so that nothing is divided
 * by little. */
export function quaternionOf(a: Axis, b: Axis, c: Axis): Parts['quaternion'] {
  const squares = [1 + a[0] + b[1] + c[2], 1 + a[0] - b[1] - c[2], 1 - a[0] + b[1] - c[2], 1 - a[0] - b[1] + c[2]] as const
  const wx = b[2] - c[1], wy = c[0] - a[2], wz = a[1] - b[0], xy = b[0] + a[1], xz = c[0] + a[2], yz = c[1] + b[2]
  const rows = [[squares[0], wx, wy, wz], [wx, squares[1], xy, xz], [wy, xy, squares[2], yz], [wz, xz, yz, squares[3]]] as const
  const row = rows[squares.indexOf(Math.max(...squares))] as readonly [number, number, number, number]
  const norm = Math.hypot(...row) * (row[0] < 0 ? -1 : 1)
  return [row[0] / norm, row[1] / norm, row[2] / norm, row[3] / norm]
}

/** `share` 0: before, 1: after. Matrices that do not split jump. */
export function between(before: readonly number[], after: readonly number[], share: number): Matrix {
  if (share <= 0 || share >= 1) return [...(share <= 0 ? before : after)]
  const a = decompose(before), b = decompose(after)
  if (!a || !b) return [...after]
  const linear = (p: number[], q: number[], sign = 1) => p.map((value, i) => (1 - share) * value + share * sign * (q[i] as number))
  const sign = a.quaternion.reduce((sum, value, i) => sum + value * (b.quaternion[i] as number), 0) < 0 ? -1 : 1
  return compose({
    translation: linear(a.translation, b.translation) as Axis, scale: linear(a.scale, b.scale) as Axis,
    quaternion: linear(a.quaternion, b.quaternion, sign) as Parts['quaternion'],
  })
}

/** Column by column, as three.js, WebGL and glTF have it. */
export const columns = (m: readonly number[]): Matrix =>
  Array.from({ length: 16 }, (_, i) => m[(i % 4) * 4 + (i >> 2)] as number)
