import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Entry, POSE } from '../../live/protocol'
import { Cursor } from './cursor'
import { Tape } from './tape'

const entry = (index: number, name = `o${index}`) => ({ index, kind: 'object', key: `k${index}`, record: { name } }) as unknown as Entry

// A scene as the model has it: newest poses by index.
function film(limits?: { ms: number; bytes: number; each: number }) {
  const tape = new Tape(limits)
  const all = new Float64Array(100 * POSE).map((_, i) => (i % POSE < 6 ? 0 : 1))
  const see = (now: number, news: { x?: Record<number, number>; changed?: Entry[]; gone?: number[]; changes?: number }) => {
    tape.roll(now, all)
    const moved = Object.keys(news.x ?? {}).map(Number)
    for (const index of moved) all[index * POSE] = news.x![index]!
    tape.take(now, { changed: news.changed, gone: news.gone, moved, changes: news.changes ?? moved.length })
  }
  const end = (now: number) => tape.roll(now, all, true)
  const cursor = new Cursor(tape)
  const at = (time: number, index: number) => {
    const out = new Float64Array(POSE)
    cursor.seek(time)
    cursor.pose(index, out)
    return Math.round(out[0]! * 1000) / 1000
  }
  return { tape, see, end, cursor, at }
}

test('what was seen is shown where it was, and in between on its way', () => {
  const { see, end, at } = film()
  see(1000, { changed: [entry(0)], x: { 0: 0 } })
  see(1200, { x: { 0: 2 } })
  see(1400, { x: { 0: 6 } })
  end(1500)
  assert.deepEqual([1000, 1100, 1200, 1300, 1400, 9000].map(time => at(time, 0)), [0, 1, 2, 4, 6, 6])
  assert.equal(at(1100, 0), 1, 'going back shows the same')
})

test('what stood still for long jumps when it moves', () => {
  const { see, end, at } = film()
  see(1000, { changed: [entry(0)], x: { 0: 5 } })
  see(9000, { x: { 0: 7 } })
  end(9500)
  assert.deepEqual([1000, 5000, 8999, 9000].map(time => at(time, 0)), [5, 5, 5, 7])
})

test('what was made and deleted is there in between', () => {
  const { see, end, cursor } = film()
  see(1000, { changed: [entry(0)] })
  see(2000, { changed: [entry(1)] })
  see(3000, { gone: [1] })
  see(4000, { changed: [entry(0, 'renamed')] })
  end(5000)
  const names = (time: number) => (cursor.seek(time), [...cursor.entries.values()].map(({ record }) => (record as { name: string }).name))
  assert.deepEqual(names(1500), ['o0'])
  assert.deepEqual(names(2500), ['o0', 'o1'])
  assert.deepEqual(names(3500), ['o0'])
  assert.deepEqual(names(4500), ['renamed'])
  assert.deepEqual(names(1500), ['o0'])
})

test('what comes within a tenth of a second is one frame, the newest wins', () => {
  const { tape, see, end, at } = film()
  for (let now = 1000; now < 2000; now += 10) see(now, { changed: now === 1000 ? [entry(0)] : [], x: { 0: now } })
  end(3000)
  assert.equal(tape.count, 10)
  assert.equal(at(3000, 0), 1990)
})

test('the oldest is forgotten by time, and what stood still since is where it was', () => {
  const { tape, see, end, at, cursor } = film({ ms: 10_000, bytes: 1e9, each: 100 })
  see(1000, { changed: [entry(0), entry(1)], x: { 0: 5, 1: 8 } })
  for (let now = 2000; now <= 30_000; now += 1000) see(now, { x: { 0: now } })
  end(30_500)
  assert.ok(tape.from >= 20_000 && tape.from <= 21_000, String(tape.from))
  assert.equal(at(1000, 1), 8)
  assert.equal(cursor.entries.size, 2)
  assert.equal(at(25_500, 0), 25_000)
})

test('the oldest is forgotten by bytes', () => {
  const { tape, see, end } = film({ ms: 1e9, bytes: 100_000, each: 100 })
  for (let now = 1000; now < 100_000; now += 100) see(now, { x: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [i, now])) })
  end(100_000)
  assert.ok(tape.bytes <= 100_000, String(tape.bytes))
  assert.ok(tape.count >= 20, String(tape.count))
})

test('changes are counted by the time at which they came', () => {
  const { tape, see, end } = film()
  see(1000, { changes: 3 })
  see(1900, { changes: 1 })
  end(2000)
  assert.deepEqual(tape.histogram(1000, 2000, 4), [3, 0, 0, 1])
})
