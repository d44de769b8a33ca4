import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Values } from './protocol'
import { appended, SECONDS } from './samples'

const rest = { disk: { free: 1, reserve: 0, read_only: false }, counts: {} }
const of = (...events: Values) => ({ ...rest, series: { events } })

test('what is new stands behind what was known', () => {
  assert.deepEqual(appended(of(1, null), of(3, 4)).series, { events: [1, null, 3, 4] })
})

test('a second without a sample changes no series', () => {
  assert.deepEqual(appended(of(1, 2), of()).series, { events: [1, 2] })
})

test('who is an administrator no more knows no series', () => {
  assert.equal(appended(of(1, 2), rest).series, undefined)
})

test('no more is kept than is shown', () => {
  const { events } = appended(of(...Array(SECONDS).fill(1)), of(7)).series!
  assert.equal(events!.length, SECONDS)
  assert.equal(events!.at(-1), 7)
})
