import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Graph, LinkStatus } from '../api/types'
import { drawingOf, stepsOf } from './drawing'
import { eyeOf } from './layout'

const size = { width: 800, height: 500 }

function graphOf(scenes: [string, number, number][], links: [string, string, LinkStatus][]): Graph {
  return {
    scenes: scenes.map(([key, x, z]) => ({ key, fragment: 'a', ...(Number.isNaN(x) ? {} : { pose: { translation: [x, 0, z], rotation: [0, 0, 0] }, sigma_t_m: 0.1 }) })),
    links: links.map(([from, scene, status]) => ({
      from, scene, status, sigma_t_m: 0.05, sigma_r_rad: 0.01, residual_t_m: 0, residual_r_rad: 0, observations: 1, rejected: 0, devices: 1,
      transform: { translation: [0, 0, 0], rotation: [0, 0, 0] },
    })),
    corrections: 0, cut: false, epoch: 1,
  }
}

const drawn = (graph: Graph) => drawingOf(graph, new Map([['b', 'Bee']]), eyeOf(graph.scenes, size), size)

test('lines lead from scene to scene, and those that need somebody are drawn last', () => {
  const { spots, lines } = drawn(graphOf([['a', 0, 0], ['b', 10, 0], ['c', 0, 10]], [['a', 'b', 'conflicting'], ['a', 'c', 'predicted']]))
  assert.deepEqual(['a', 'Bee', 'c'], spots.map(spot => spot.title))
  assert.deepEqual(['a c', 'a b'], lines.map(line => line.name))
  assert.equal(spots[1], lines[1]!.to)
  assert.equal('✕ σ 5.0 cm', lines[1]!.words)
})

test('scenes that are nowhere stand below the picture', () => {
  const { spots, apart } = drawn(graphOf([['a', 0, 0], ['b', NaN, 0], ['c', NaN, 0]], [['a', 'b', 'none']]))
  assert.equal(84, apart)
  assert.equal(null, spots[1]!.truly)
  assert.ok(spots[1]!.y > 500 - 84 && spots[1]!.x < spots[2]!.x)
})

test('a link to a scene that is not in the answer is not drawn', () => {
  assert.equal(0, drawn(graphOf([['a', 0, 0]], [['a', 'elsewhere', 'predicted']])).lines.length)
})

test('a hundred scenes are small, and those without room for a label have none', () => {
  const many = Array.from({ length: 100 }, (_, i): [string, number, number] => [`scene-${i}`, Math.sin(i) * 9, Math.cos(i * 7) * 9])
  const { spots, isFull } = drawn(graphOf(many, []))
  assert.equal(true, isFull)
  assert.ok(spots.some(spot => spot.told) && spots.some(spot => !spot.told))
})

test('keys step from each scene to the links that lead on from it', () => {
  const drawing = drawn(graphOf([['a', 0, 0], ['b', 10, 0]], [['a', 'b', 'predicted']]))
  assert.deepEqual(['scene a', 'link a b', 'scene b'], stepsOf(drawing))
})
