import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joined, SECONDS, type Values } from './series'

const at = (second: number, ...events: Values) => ({ until_us: second * 1e6 + 300, units: { events: '1/s' }, series: { events } })

test('what is new is put behind what was known', () => {
  assert.deepEqual(joined(at(5, 1, 2), at(7, 2, 3, 4)).series.events, [1, 2, 3, 4])
})

test('nothing new changes nothing', () => {
  assert.deepEqual(joined(at(5, 1, 2), at(5, 1, 2)).series.events, [1, 2])
})

test('seconds without an answer are unknown', () => {
  assert.deepEqual(joined(at(5, 1), at(9, 7)).series.events, [1, null, null, null, 7])
})

test('a clock that was set back begins anew', () => {
  assert.deepEqual(joined(at(9, 1, 2), at(3, 7)).series.events, [7])
})

test('no more is kept than is shown', () => {
  const values = joined(at(5, 1), at(5 + 2 * SECONDS, 7)).series.events!
  assert.equal(values.length, SECONDS)
  assert.equal(values.at(-1), 7)
})
