import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GraphScene } from '../api/types'
import { barOf, eyeOf, gridOf, headingOf, labelPlaces, type Mark, pointOf, pushApart, roomFor, zoomed } from './layout'

const size = { width: 800, height: 500 }
const at = (x: number, z: number): GraphScene => ({ key: `${x} ${z}`, fragment: '', pose: { translation: [x, 0, z], rotation: [0, 0, 0] } })
const mark = (x: number, y: number, half = 30): Mark => ({ x, y, half, above: 15, below: 33 })
const close = (expected: number, found: number) => assert.ok(Math.abs(expected - found) < 1e-9, `${expected} expected, ${found} found`)

test('all scenes are in the picture, x to the right and z down', () => {
  const scenes = [at(-10, 5), at(30, -20), at(0, 0)]
  const eye = eyeOf(scenes, size)
  const points = scenes.map(({ pose }) => pointOf(pose!.translation[0], pose!.translation[2], eye, size))
  for (const { x, y } of points) assert.ok(x >= 84 && x <= 716 && y >= 15 && y <= 440, `${x} ${y}`)
  assert.ok(points[0]!.x < points[2]!.x && points[0]!.y > points[2]!.y)
})

test('one scene alone is in the middle, and no scale is endless', () => {
  const eye = eyeOf([at(7, 7)], size)
  assert.equal(120, eye.scale)
  assert.equal(400, pointOf(7, 7, eye, size).x)
})

test('a heading is where -Z points from above', () => {
  const turned = (y: number, x = 0) => headingOf({ translation: [0, 0, 0], rotation: [x, y, 0] })
  close(-1, turned(0).y)
  close(-1, turned(Math.PI / 2).x)
  close(1, turned(Math.PI).y)
  assert.deepEqual({ x: 0, y: -1 }, turned(0, Math.PI / 2)) // upright: it has none
})

test('what is under the pointer stays there while one zooms', () => {
  const eye = { x: 3, z: 4, scale: 10 }
  const near = zoomed(eye, 2, { x: 100, y: 400 }, size)
  const before = { x: eye.x + (100 - 400) / 10, z: eye.z + (400 - 250) / 10 }
  close(100, pointOf(before.x, before.z, near, size).x)
  close(400, pointOf(before.x, before.z, near, size).y)
  assert.equal(20, near.scale)
})

test('marks that would hide each other are parted, and others stay', () => {
  const points = pushApart([mark(400, 250), mark(402, 250), mark(400, 251), mark(100, 100)], size)
  assert.deepEqual({ x: 100, y: 100 }, points[3])
  for (let i = 0; i < 3; i++)
    for (let j = i + 1; j < 3; j++) {
      const [dx, dy] = [Math.abs(points[i]!.x - points[j]!.x), Math.abs(points[i]!.y - points[j]!.y)]
      assert.ok(dx >= 59 || dy >= 47, `${dx} ${dy}`)
    }
})

test('twenty marks at one place are parted too, inside the picture', () => {
  const points = pushApart(Array.from({ length: 20 }, () => mark(400, 250)), size)
  const places = new Set(points.map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`))
  assert.equal(20, places.size)
  for (const { x, y } of points) assert.ok(x >= 0 && x <= 800 && y >= 0 && y <= 500)
})

test('a mark that is out of the picture is not drawn into it', () => {
  assert.deepEqual([{ x: -900, y: 40 }], pushApart([mark(-900, 40)], size))
})

test('marks are small where there is no room for all labels', () => {
  assert.equal(false, roomFor(Array(10).fill(40), size).isFull)
  assert.equal(true, roomFor(Array(80).fill(40), size).isFull)
})

test('a label stands beside its mark if it would hide another below it', () => {
  const marks = [{ x: 100, y: 100, half: 30, radius: 9 }, { x: 100, y: 122, half: 30, radius: 9 }]
  const { ofMarks } = labelPlaces(marks, [])
  assert.deepEqual({ x: 114, y: 104, anchor: 'start' }, ofMarks[0])
  assert.equal('middle', ofMarks[1]!.anchor)
})

test('the label of a line avoids marks and other labels, or has no place', () => {
  const line = { from: { x: 0, y: 200 }, to: { x: 400, y: 200 }, half: 30 }
  const marks = [{ x: 200, y: 200, half: 30, radius: 9 }]
  const { ofLines } = labelPlaces(marks, [line, line, { ...line, to: { x: 20, y: 200 } }])
  assert.deepEqual({ x: 136, y: 200 }, ofLines[0])
  assert.deepEqual({ x: 264, y: 200 }, ofLines[1])
  assert.equal(true, ofLines[2] !== undefined)
  assert.equal(null, labelPlaces([{ x: 10, y: 200, half: 30, radius: 40 }], [{ ...line, to: { x: 20, y: 200 } }]).ofLines[0])
})

test('the bar is 1, 2 or 5 times a power of ten, in a unit that fits', () => {
  assert.deepEqual({ metres: 10, pixels: 120, words: '10 m' }, barOf(12, 140))
  assert.equal('20 cm', barOf(600, 140).words)
  assert.equal('5 km', barOf(0.02, 140).words)
})

test('the grid has a line at each step that is seen', () => {
  const grid = gridOf(10, { x: 0, z: 0, scale: 10 }, size)
  assert.equal(9, grid.split('v').length - 1) // -40 to 40 m
  assert.equal(5, grid.split('h').length - 1) // -20 to 20 m
})
