// All is in the picture, and no smaller than needed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Box3, Vector3 } from 'three'
import { cornersOf, fit } from './view/fit'

// Where a point is seen: within -1 and 1 in both directions it is in the picture.
function seen(point: Vector3, target: Vector3, away: number) {
  const depth = away - (point.z - target.z)
  return [(point.x - target.x) / depth, (point.y - target.y) / depth] as const
}

test('all corners are seen, and the furthest is at the edge', () => {
  const points = cornersOf(new Box3(new Vector3(2, 0, -5), new Vector3(12, 1, 3)))
  const target = new Vector3(0, 0, 0)
  const away = fit(points, target, new Vector3(0, 0, 1), 1, 1)
  const at = points.map(point => Math.abs(seen(point, target, away)[0]))
  assert.ok(Math.max(...at) < 1 && Math.max(...at) > 0.8, String(at))
  assert.ok(Math.abs(target.x - 7) < 0.1, String(target.x))
})

test('from above it does not matter where up is', () => {
  const points = cornersOf(new Box3(new Vector3(-1, 0, -1), new Vector3(1, 1, 1)))
  const away = fit(points, new Vector3(), new Vector3(0, 1, 0), 1, 1)
  assert.ok(away > 1.9 && away < 2.4, String(away))
})
