// Transforms of the server become poses, and poses move into each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { between, poseOfDevice, poseOfMatrix } from './matrix'
import { POSE } from './protocol'

const near = (found: ArrayLike<number>, expected: number[]) =>
  expected.forEach((value, i) => assert.ok(Math.abs(found[i]! - value) < 1e-9, `${Array.from(found)} at ${i}`))

test('a row-major matrix has its translation at 3, 7, 11', () => {
  const out = new Float64Array(POSE)
  poseOfMatrix([2, 0, 0, 1, 0, 3, 0, 2, 0, 0, 4, 3, 0, 0, 0, 1], out, 0)
  near(out, [1, 2, 3, 0, 0, 0, 1, 2, 3, 4])
})

test('a quarter turn about y, and a mirror, which turns one scale', () => {
  const out = new Float64Array(POSE)
  poseOfMatrix([0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 0, 1], out, 0)
  near(out, [0, 0, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2, 1, 1, 1])
  poseOfMatrix([-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], out, 0)
  near(out, [0, 0, 0, 0, 0, 0, 1, -1, 1, 1])
})

test('a flat matrix is no accident', () => {
  const out = new Float64Array(POSE)
  poseOfMatrix(new Array(16).fill(0), out, 0)
  assert.ok(out.every(Number.isFinite))
})

test('a device turns by Rx · Ry · Rz', () => {
  const out = new Float64Array(POSE)
  poseOfDevice([1, 2, 3], [Math.PI / 2, 0, 0], out, 0)
  near(out, [1, 2, 3, Math.SQRT1_2, 0, 0, Math.SQRT1_2, 1, 1, 1])
})

test('half the way is half the way, on the shorter side', () => {
  const from = Float64Array.of(0, 0, 0, 0, 0, 0, 1, 1, 1, 1)
  const to = Float64Array.of(2, 0, 0, 0, 0, 0, -1, 3, 1, 1)
  const out = new Float64Array(POSE)
  between(from, to, 0, 0.5, out)
  near(out, [1, 0, 0, 0, 0, 0, 1, 2, 1, 1])
})
