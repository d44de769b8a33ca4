import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventLog } from './event_log'

const keyOf = (index: number) => (index < 1000 ? `k${index}` : undefined)
const moves = (seq: number, ...indexes: number[]) => ({ seq, at: seq * 10, indexes: Uint32Array.from(indexes) })
const told = (log: EventLog, ...asked: [number, number, { index: number; key: string }?]) =>
  log.newest(asked[0], asked[1], keyOf, asked[2]).map(({ seq, what, key }) => `${seq} ${what} ${key}`)

test('moves and what else happened are told together, the newest first', () => {
  const log = new EventLog()
  log.take([{ seq: 1, at: 10, what: 'created', key: 'k1' }])
  log.move(moves(2, 1, 5))
  log.take([{ seq: 3, at: 30, what: 'locked', key: 'k5' }])
  assert.deepEqual(told(log, 9, Infinity), ['3 locked k5', '2 changed k1', '2 changed k5', '1 created k1'])
  assert.deepEqual(told(log, 9, 20), ['2 changed k1', '2 changed k5', '1 created k1'], 'until a time')
  assert.deepEqual(told(log, 2, Infinity), ['3 locked k5', '2 changed k1'], 'no more than is asked for')
})

test('one of a thousand that move has its own', () => {
  const log = new EventLog()
  const all = Array.from({ length: 1000 }, (_, i) => i)
  for (let seq = 1; seq <= 50; seq++) log.move(moves(seq, ...all))
  log.move(moves(51, 3))
  assert.deepEqual(told(log, 2, Infinity, { index: 7, key: 'k7' }), ['50 changed k7', '49 changed k7'])
})

test('what is gone, or meant another thing, is not told', () => {
  const log = new EventLog()
  log.move(moves(1, 1000, 2))
  assert.deepEqual(told(log, 9, Infinity), ['1 changed k2'])
  log.forgetMoves()
  assert.deepEqual(told(log, 9, Infinity), [])
})

test('it does not grow', () => {
  const log = new EventLog() as unknown as EventLog & { moves: { indexes: Uint32Array }[] }
  const held = () => log.moves.reduce((sum, { indexes }) => sum + indexes.length, 0)
  for (let seq = 1; seq <= 2000; seq++) log.move(moves(seq, 1))
  assert.equal(log.moves.length, 400)
  const many = Array.from({ length: 30_000 }, (_, i) => i)
  for (let seq = 1; seq <= 20; seq++) log.move(moves(seq, ...many))
  assert.ok(held() <= 100_000 && held() >= 60_000, String(held()))
})
