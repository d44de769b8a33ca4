// Transforms as the server has them, and as they are drawn. Pure.
import { quaternionOf } from 'diorama-client/transforms'
import { POSE } from './protocol'

// Writes position, quaternion and scale of a row-major 4×4 matrix. A shear is left out.
export function poseOfMatrix(m: ArrayLike<number>, out: Float64Array, at: number) {
  let sx = Math.hypot(m[0]!, m[4]!, m[8]!)
  const sy = Math.hypot(m[1]!, m[5]!, m[9]!)
  const sz = Math.hypot(m[2]!, m[6]!, m[10]!)
  const determinant =
    m[0]! * (m[5]! * m[10]! - m[6]! * m[9]!) -
    m[1]! * (m[4]! * m[10]! - m[6]! * m[8]!) +
    m[2]! * (m[4]! * m[9]! - m[5]! * m[8]!)
  if (determinant < 0) sx = -sx
  const ix = sx ? 1 / sx : 0
  const iy = sy ? 1 / sy : 0
  const iz = sz ? 1 / sz : 0
  out[at] = m[3]!
  out[at + 1] = m[7]!
  out[at + 2] = m[11]!
  const [w, x, y, z] = quaternionOf(
    [m[0]! * ix, m[4]! * ix, m[8]! * ix],
    [m[1]! * iy, m[5]! * iy, m[9]! * iy],
    [m[2]! * iz, m[6]! * iz, m[10]! * iz],
  )
  set(out, at + 3, x, y, z, w)
  out[at + 7] = sx
  out[at + 8] = sy
  out[at + 9] = sz
}

function set(out: Float64Array, at: number, x: number, y: number, z: number, w: number) {
  const length = Math.sqrt(x * x + y * y + z * z + w * w) || 1 // hypot takes ten times as long
  out[at] = x / length
  out[at + 1] = y / length
  out[at + 2] = z / length
  out[at + 3] = length ? w / length : 1
}

// Position, and angles about x, y, z of a device: R = Rx · Ry · Rz.
export function poseOfDevice(translation: ArrayLike<number>, rotation: ArrayLike<number>, out: Float64Array, at: number) {
  const [cx, sx] = [Math.cos(rotation[0]! / 2), Math.sin(rotation[0]! / 2)]
  const [cy, sy] = [Math.cos(rotation[1]! / 2), Math.sin(rotation[1]! / 2)]
  const [cz, sz] = [Math.cos(rotation[2]! / 2), Math.sin(rotation[2]! / 2)]
  for (let i = 0; i < 3; i++) out[at + i] = translation[i]!
  set(
    out, at + 3,
    sx * cy * cz + cx * sy * sz,
    cx * sy * cz - sx * cy * sz,
    cx * cy * sz + sx * sy * cz,
    cx * cy * cz - sx * sy * sz,
  )
  for (let i = 7; i < POSE; i++) out[at + i] = 1
}

// A loop: what makes a view of each pose makes garbage with each.
export function copyPose(from: ArrayLike<number>, at: number, out: Float64Array | Float32Array, outAt: number) {
  for (let i = 0; i < POSE; i++) out[outAt + i] = from[at + i]!
}

// The pose `part` of the way from one to another: positions and scales in a straight line, the
// rotation on the shorter way. `out` may be `from`.
export function between(from: Float64Array, to: Float64Array, at: number, part: number, out: Float64Array, outAt = 0) {
  const sign = from[at + 3]! * to[at + 3]! + from[at + 4]! * to[at + 4]! + from[at + 5]! * to[at + 5]! + from[at + 6]! * to[at + 6]! < 0 ? -1 : 1
  for (let i = 0; i < POSE; i++) {
    const is = i >= 3 && i < 7 ? sign : 1
    out[outAt + i] = from[at + i]! + (to[at + i]! * is - from[at + i]!) * part
  }
  set(out, outAt + 3, out[outAt + 3]!, out[outAt + 4]!, out[outAt + 5]!, out[outAt + 6]!)
}
