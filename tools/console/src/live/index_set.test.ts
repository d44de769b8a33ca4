import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IndexSet } from './index_set'

function make(...indexes: number[]) {
  const set = new IndexSet()
  for (const index of indexes) set.add(index)
  return set
}

test('an index is in it once, in the order in which they came', () => {
  assert.deepEqual(Array.from(make(7, 3, 7, 1000, 3).slice()), [7, 3, 1000])
})

test('an index that is taken out is not in it, and the others are', () => {
  const set = make(7, 3, 1000)
  for (const index of [7, 7, 5, 99999]) set.delete(index)
  assert.deepEqual(Array.from(set.slice()).sort((a, b) => a - b), [3, 1000])
  assert.deepEqual([3, 7, 1000, 99999].map(index => set.has(index)), [true, false, true, false])
  set.add(7)
  assert.equal(set.has(7), true)
})

test('going from its end, each is met once while some are taken out', () => {
  const set = make(...Array.from({ length: 200 }, (_, i) => i))
  const met: number[] = []
  for (let i = set.count - 1; i >= 0; i--) {
    met.push(set.at(i))
    if (set.at(i) % 3 === 0) set.delete(set.at(i))
  }
  assert.deepEqual(met.sort((a, b) => a - b), Array.from({ length: 200 }, (_, i) => i))
  assert.equal(set.count, 133)
})

test('what is emptied is empty, and takes in again', () => {
  const set = make(1, 2)
  set.clear()
  set.add(2)
  assert.deepEqual(Array.from(set.slice()), [2])
})
