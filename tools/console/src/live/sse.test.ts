// Every cut of a stream gives the same events.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Sse, SseReader } from './sse'

const text = ': resumed\n\nevent: snapshot\nid: 7-1\ndata: {"scene":"größe"}\n\nevent: change\r\nid: 7-2\r\ndata: a\r\ndata: b\r\n\r\n:\n\n'
const expected: Sse[] = [
  { event: '', id: '', data: 'resumed' },
  { event: 'snapshot', id: '7-1', data: '{"scene":"größe"}' },
  { event: 'change', id: '7-2', data: 'a\nb' },
  { event: '', id: '', data: '' },
]

function read(...pieces: string[]) {
  const found: Sse[] = []
  const reader = new SseReader(event => found.push(event))
  for (const piece of pieces) reader.feed(piece)
  return found
}

test('a stream is read as a whole', () => assert.deepEqual(read(text), expected))

test('a stream is read however it is cut', () => {
  for (let at = 0; at <= text.length; at++) assert.deepEqual(read(text.slice(0, at), text.slice(at)), expected, `cut at ${at}`)
})

test('an event that has not ended is not told', () => assert.deepEqual(read('data: x\n'), []))
