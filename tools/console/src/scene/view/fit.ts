// From where one sees all of something: no nearer than needed, and with it in the middle.
import { type Box3, Vector3 } from 'three'

const MARGIN = 1.02

export function cornersOf(box: Box3): Vector3[] {
  if (box.isEmpty()) return []
  const { min, max } = box
  return [min.x, max.x].flatMap(x => [min.y, max.y].flatMap(y => [min.z, max.z].map(z => new Vector3(x, y, z))))
}

// How far away to look from, in the direction `way` of `target`. `wide` and `high` are half of what
// is seen a metre ahead. Moves the target across the direction until the points are in the middle.
export function fit(points: Vector3[], target: Vector3, way: Vector3, wide: number, high: number): number {
  const side = new Vector3(0, 1, 0).cross(way)
  if (side.lengthSq() < 1e-6) side.set(1, 0, 0)
  side.normalize()
  const up = way.clone().cross(side)
  let away = 0
  for (let round = 0; round < 6; round++) {
    away = Math.max(reach(points, target, way, side, wide), reach(points, target, way, up, high)) * MARGIN
    const [across, upwards] = [middle(points, target, way, side, away), middle(points, target, way, up, away)]
    target.addScaledVector(side, across).addScaledVector(up, upwards)
  }
  return away
}

const from = new Vector3()

// From how far away all points are seen on both sides of the target.
function reach(points: Vector3[], target: Vector3, way: Vector3, axis: Vector3, half: number) {
  return Math.max(0, ...points.map(point => from.subVectors(point, target).dot(way) + Math.abs(from.dot(axis)) / half))
}

// How far beside the target the middle of the picture is.
function middle(points: Vector3[], target: Vector3, way: Vector3, axis: Vector3, away: number) {
  const seen = points.map(point => from.subVectors(point, target).dot(axis) / Math.max(away - from.dot(way), 0.1))
  return points.length ? ((Math.min(...seen) + Math.max(...seen)) / 2) * away : 0
}
