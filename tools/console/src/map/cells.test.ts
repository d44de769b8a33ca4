import assert from 'node:assert/strict'
import { test } from 'node:test'
import { markAt, marksOf } from './cells'

const size = { width: 800, height: 600 }
const look = { latitude: 0, longitude: 0, scale: 1000 } // 17.5 pixels a degree
const pin = (key: string, longitude: number) => ({ key, latitude: 0, longitude })

test('scenes far from each other have marks of their own', () => {
  assert.deepEqual(marksOf([pin('a', 0), pin('b', 10)], look, size).map(mark => mark.keys), [['a'], ['b']])
})

test('scenes at one place are one mark, with all of them', () => {
  const marks = marksOf([pin('a', 0), pin('b', 0.1), pin('c', 10)], look, size)
  assert.deepEqual(marks.map(mark => mark.keys.length), [2, 1])
  assert.ok(marks[0]!.radius > marks[1]!.radius)
})

test('a mark that a larger one would hide becomes a part of it', () => {
  assert.deepEqual(marksOf([pin('a', 0), pin('b', 0.01), pin('c', 0.8)], look, size).map(mark => mark.keys.length), [3])
})

test('what is not in the map has no mark', () => {
  assert.deepEqual(marksOf([pin('a', 90)], look, size), [])
})

test('ten thousand scenes are one mark a place, and none is lost', () => {
  const pins = Array.from({ length: 10000 }, (_, i) => pin(`s${i}`, (i % 200) / 5 - 20))
  const marks = marksOf(pins, look, size)
  assert.equal(marks.flatMap(mark => mark.keys).length, 10000)
})

test('one points at the nearest mark', () => {
  const marks = marksOf([pin('a', 0), pin('b', 1.5)], look, size)
  assert.deepEqual(markAt(marks, { x: 415, y: 300 })?.keys, ['b'])
  assert.equal(markAt(marks, { x: 700, y: 300 }), undefined)
})
