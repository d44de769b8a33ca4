// Where scenes are drawn: seen from above, pushed apart where they would hide each other. Pure.
import type { GraphScene, Pose } from '../api/types'

// A place in the picture, in pixels from its upper left corner.
export interface Point {
  x: number
  y: number
}

// A mark, and what it takes to its left and right, above and below, with its label or without.
export interface Mark extends Point {
  half: number
  above: number
  below: number
}

// What part of the world is seen: the point in the middle of the picture, in metres, and its size.
export interface Eye {
  x: number
  z: number
  scale: number // pixels in a metre
}

export interface Size {
  width: number
  height: number
}

const ABOVE = 15 // what a mark takes above its place
const BELOW = 33 // and below, where its label is
const SIDE = 84 // left free at the sides of all marks
export const FOOT = 34 // and at the foot, where the scale is
const EDGE = 12
const MOST = 120 // pixels in a metre

// The direction of a scene's -Z, seen from above: a unit vector, x to the right, y down.
export function headingOf({ rotation }: Pose): Point {
  const [a, b] = rotation // of R = Rx(a) · Ry(b) · Rz(c), whose last leaves -Z where it is
  const x = -Math.sin(b)
  const z = -Math.cos(a) * Math.cos(b)
  const length = Math.hypot(x, z)
  return length < 1e-6 ? { x: 0, y: -1 } : { x: x / length, y: z / length }
}

// Shows all of these places, as large as they fit.
export function eyeOf(scenes: GraphScene[], { width, height }: Size): Eye {
  const xs = scenes.flatMap(scene => scene.pose?.translation[0] ?? [])
  const zs = scenes.flatMap(scene => scene.pose?.translation[2] ?? [])
  if (!xs.length) return { x: 0, z: 0, scale: 20 }
  const [left, right, far, near] = [Math.min(...xs), Math.max(...xs), Math.min(...zs), Math.max(...zs)]
  const wide = Math.max(width - 2 * SIDE, width / 3) / Math.max(right - left, 1e-9)
  const high = Math.max(height - ABOVE - BELOW - FOOT - 2 * EDGE, height / 3) / Math.max(near - far, 1e-9)
  const scale = Math.min(wide, high, MOST)
  return { x: (left + right) / 2, z: (far + near) / 2 + (BELOW + FOOT - ABOVE) / 2 / scale, scale }
}

export function pointOf(x: number, z: number, eye: Eye, { width, height }: Size): Point {
  return { x: width / 2 + (x - eye.x) * eye.scale, y: height / 2 + (z - eye.z) * eye.scale }
}

// The eye after the picture was made larger by a factor about one of its points.
export function zoomed(eye: Eye, factor: number, at: Point, { width, height }: Size): Eye {
  const scale = Math.min(1000, Math.max(1e-4, eye.scale * factor))
  const shift = 1 / eye.scale - 1 / scale
  return { x: eye.x + (at.x - width / 2) * shift, z: eye.z + (at.y - height / 2) * shift, scale }
}

// How large marks are: with their labels where there is room for all, else small and without.
export function roomFor(halves: number[], { width, height }: Size): { radius: number; above: number; below: number; isFull: boolean } {
  const area = halves.reduce((sum, half) => sum + 2 * half * (ABOVE + BELOW), 0)
  const isFull = area > 0.4 * width * height
  return isFull ? { radius: 6, above: 9, below: 9, isFull } : { radius: 9, above: ABOVE, below: BELOW, isFull }
}

// Moves marks until none hides another; those that stand free stay where they are, and the first
// one moves last. Marks that are in the picture stay in it.
export function pushApart(marks: Mark[], { width, height }: Size): Point[] {
  const placed = marks.map((mark, i) => {
    const isTwin = marks.slice(0, i).some(other => Math.hypot(other.x - mark.x, other.y - mark.y) < 2)
    const turn = 2.4 * i // twins go different ways
    return isTwin ? { ...mark, x: mark.x + 6 * Math.cos(turn), y: mark.y + 6 * Math.sin(turn) } : { ...mark }
  })
  const isInside = marks.map(({ x, y }) => x >= 0 && x <= width && y >= 0 && y <= height)
  for (let round = 0; round < 120; round++) {
    let isFree = true
    for (let i = 0; i < placed.length; i++)
      for (let j = i + 1; j < placed.length; j++) if (partPair(placed[i]!, placed[j]!, i, j)) isFree = false
    placed.forEach((mark, i) => isInside[i] && keepInside(mark, width, height))
    if (isFree) break
  }
  return placed.map(({ x, y }) => ({ x, y }))
}

// Parts two marks along the way that is shorter; whether they hid each other.
function partPair(one: Mark, other: Mark, i: number, j: number): boolean {
  const dx = other.x - one.x
  const dy = other.y - one.y
  const overX = one.half + other.half - Math.abs(dx)
  const overY = (dy < 0 ? one.above + other.below : one.below + other.above) - Math.abs(dy)
  if (overX <= 0.5 || overY <= 0.5) return false
  const share = i === 0 ? 0.1 : 0.5 // the scene in the middle gives way little
  const isAlongX = overX < overY
  const sign = Math.sign(isAlongX ? dx : dy) || (j % 2 ? 1 : -1)
  const step = (isAlongX ? overX : overY) * sign
  if (isAlongX) {
    one.x -= step * share
    other.x += step * (1 - share)
  } else {
    one.y -= step * share
    other.y += step * (1 - share)
  }
  return true
}

function keepInside(mark: Mark, width: number, height: number) {
  mark.x = Math.min(Math.max(mark.x, mark.half + 4), Math.max(width - mark.half - 4, mark.half + 4))
  mark.y = Math.min(Math.max(mark.y, mark.above + 4), Math.max(height - mark.below - 2, mark.above + 4))
}

interface Box extends Point {
  half: number
  high: number // half of its height
}

const meet = (one: Box, other: Box) => Math.abs(one.x - other.x) < one.half + other.half && Math.abs(one.y - other.y) < one.high + other.high

export interface Told extends Point {
  anchor: 'middle' | 'start' | 'end'
}

// Where the label of a mark may stand: below it, beside it, above it.
function placesBy({ x, y, half, radius }: Point & { half: number; radius: number }): [Box, Told][] {
  const box = (x: number, y: number): Box => ({ x, y, half, high: 8 })
  const away = radius + half + 5
  return [
    [box(x, y + radius + 14), { x, y: y + radius + 18, anchor: 'middle' }],
    [box(x + away, y), { x: x + radius + 5, y: y + 4, anchor: 'start' }],
    [box(x - away, y), { x: x - radius - 5, y: y + 4, anchor: 'end' }],
    [box(x, y - radius - 14), { x, y: y - radius - 10, anchor: 'middle' }],
  ]
}

// Where labels stand. Those of marks come first, in their order, then those of lines, nearest to the
// middle of their line. A label that would hide a mark or another label has no place.
export function labelPlaces(marks: (Point & { half: number; radius: number })[], lines: { from: Point; to: Point; half: number }[]) {
  const taken: Box[] = marks.map(({ x, y, radius }) => ({ x, y, half: radius + 1, high: radius + 1 }))
  const isFree = (box: Box) => !taken.some(other => meet(box, other)) && taken.push(box) > 0
  const ofMarks = marks.map(mark => placesBy(mark).find(([box]) => isFree(box))?.[1] ?? null)
  const ofLines = lines.map(({ from, to, half }) => {
    for (const part of [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]) {
      const at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
      if (isFree({ ...at, half, high: 11 })) return at
    }
    return null
  })
  return { ofMarks, ofLines }
}

// The longest of 1, 2, 5, 10 … metres (or parts) that is at most so many pixels long.
export function barOf(scale: number, most: number): { metres: number; pixels: number; words: string } {
  const power = 10 ** Math.floor(Math.log10(most / scale))
  const metres = [5, 2, 1].map(step => step * power).find(step => step * scale <= most) ?? power
  const words = metres >= 1000 ? `${+(metres / 1000).toPrecision(1)} km` : metres >= 1 ? `${+metres.toPrecision(1)} m` : `${+(metres * 100).toPrecision(1)} cm`
  return { metres, pixels: metres * scale, words }
}

// The lines of a grid of so many metres that are in the picture, as one path.
export function gridOf(step: number, eye: Eye, { width, height }: Size): string {
  const parts: string[] = []
  const left = Math.ceil((eye.x - width / 2 / eye.scale) / step)
  const right = (eye.x + width / 2 / eye.scale) / step
  const far = Math.ceil((eye.z - height / 2 / eye.scale) / step)
  const near = (eye.z + height / 2 / eye.scale) / step
  for (let i = left; i <= right && parts.length < 200; i++) parts.push(`M${(width / 2 + (i * step - eye.x) * eye.scale).toFixed(1)} 0v${height}`)
  for (let i = far; i <= near && parts.length < 400; i++) parts.push(`M0 ${(height / 2 + (i * step - eye.z) * eye.scale).toFixed(1)}h${width}`)
  return parts.join('')
}
