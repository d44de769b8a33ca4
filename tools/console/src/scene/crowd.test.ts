import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepOf } from './crowd'

test('walkers stand on the ground and go as fast as people', () => {
  for (let i = 0; i < 20; i++) {
    const [before, after] = [stepOf(i, 10), stepOf(i, 10.1)]
    assert.equal(before.translation[1], 0.85)
    const speed = Math.hypot(after.translation[0]! - before.translation[0]!, after.translation[2]! - before.translation[2]!) / 0.1
    assert.ok(Math.abs(speed - 1.3) < 0.01, String(speed))
  }
})

test('no two walkers begin at one place', () => {
  const places = new Set(Array.from({ length: 20 }, (_, i) => stepOf(i, 0).translation.map(value => value.toFixed(2)).join()))
  assert.equal(places.size, 20)
})
