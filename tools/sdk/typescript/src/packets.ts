import { Malformed } from './errors.js'
import { toJson, unpack, type Packable } from './msgpack.js'
import { fromBytes } from './transforms.js'

export const HELLO = 60, CHALLENGE = 61, ECHO = 62, ASK = 63, REFUSED = 64, TAIL = 65
const HELLO_BYTES = 256, LAST_FOR_DEVICES = 30, TRUNCATED = 63
const OF_PROPERTIES = new Set([8, 9, 11, 23, 24, 26, 27, 28, 30])
const OF_OBJECTS = new Set([0, 1, 3, 15, 16, 18, 19, 20, 22])

export type Noun = 'object' | 'property'
export type Members = Record<string, unknown>

/** What an event from 0 to 30 is about. */
export const nounOf = (type: number): Noun => (OF_PROPERTIES.has(type) ? 'property' : 'object')
export const isEvent = (type: unknown): type is number => typeof type === 'number' && (OF_OBJECTS.has(type) || OF_PROPERTIES.has(type))
export const isDelete = (type: number): boolean => type === 3 || type === 11
export const isCreate = (type: number): boolean => type === 0 || type === 8

type Names = Record<number, string>
const COMMON: Names = { 1: 'name', 2: 'scene', 3: 'parent', 4: 'asset_sub_id', 8: 'frame', 9: 'timestamp', 15: 'actions' }
const OBJECT: Names = { ...COMMON, 5: 'type', 6: 'subtype', 7: 'owner', 10: 'transform', 11: 'assets', 18: 'tags', 19: 'extras', 20: 'visible' }
const PROPERTY: Names = { ...COMMON, 16: 'values' }
const ACTION: Names = { 0: 'name', 1: 'description', 2: 'keyframes', 3: 'fps', 4: 'loop' }
const OBJECT_KEYFRAME: Names = { 0: 'frame', 10: 'transform', 12: 'translation_handle', 13: 'rotation_handle', 14: 'scale_handle' }
const PROPERTY_KEYFRAME: Names = { 0: 'frame', 1: 'values' }
const VALUE: Names = { 0: 'value', 1: 'left_type', 2: 'left_x', 3: 'left_y', 4: 'right_type', 5: 'right_x', 6: 'right_y' }
const HANDLE: Names = { 0: 'left_type', 1: 'left_x', 2: 'left_y', 3: 'right_type', 4: 'right_x', 5: 'right_y' }

/** A packed datagram. `changes` have `msg_type`, `key`, the members that were sent (null: removed), and
 * `truncated`; `note` is [64, from, reason] of a refusal. */
export interface Packed {
  epoch: number
  prev: number
  seq: number
  changes: Array<{ msg_type: number, key: string } & Members>
  note?: number[]
}

function record(names: Names, packed: Packable, isProperty: boolean): Members {
  if (!(packed instanceof Map)) throw new Malformed('packed: a record is no map')
  const members: Members = {}
  for (const [number, value] of packed) {
    const name = names[number as number]
    if (name !== undefined) members[name] = member(name, value, isProperty)
  }
  return members
}

function records(names: Names, packed: Packable, isProperty: boolean): unknown[] {
  if (!Array.isArray(packed)) throw new Malformed('packed: a list is none')
  return packed.map(item => (typeof item === 'number' ? item : record(names, item, isProperty)))
}

function member(name: string, value: Packable, isProperty: boolean): unknown {
  if (value === null) return null
  switch (name) {
    case 'transform':
      if (!(value instanceof Uint8Array)) throw new Malformed('packed: a transform is no binary')
      return fromBytes(value)
    case 'values': return records(VALUE, value, isProperty)
    case 'actions': return records(ACTION, value, isProperty)
    case 'keyframes': return records(isProperty ? PROPERTY_KEYFRAME : OBJECT_KEYFRAME, value, isProperty)
    case 'translation_handle': case 'rotation_handle': case 'scale_handle': return records(HANDLE, value, isProperty)
    default: return toJson(value)
  }
}

function change(packed: Packable): Packed['changes'][number] {
  const [type, key, fields] = Array.isArray(packed) ? packed : []
  if (typeof type !== 'number' || !(type >= 0 && type <= LAST_FOR_DEVICES) || typeof key !== 'string' || !(fields instanceof Map)) {
    throw new Malformed('packed: a change is none')
  }
  const isProperty = OF_PROPERTIES.has(type)
  const told = { msg_type: type, key, ...record(isProperty ? PROPERTY : OBJECT, fields, isProperty) }
  return fields.get(TRUNCATED) ? { ...told, truncated: true } : told
}

/** What a packed datagram says. What a later version adds is skipped. Throws Malformed. */
export function readPacked(data: Uint8Array): Packed {
  const items = unpack(data)
  if (!Array.isArray(items) || items.length < 6) throw new Malformed('packed: no array of six')
  const [version, epoch, prev, seq, count, changes, ...more] = items
  for (const number of [version, epoch, prev, seq, count]) {
    if (typeof number !== 'number' || number < 0) throw new Malformed('packed: a header that is none')
  }
  if (version !== 1) throw new Malformed('packed: of another version')
  if (!Array.isArray(changes) || changes.length !== count) throw new Malformed('packed: another number of changes than it says')
  const note = more.find(item => Array.isArray(item) && item.length === 3 && item[0] === REFUSED) as number[] | undefined
  const told: Packed = { epoch: epoch as number, prev: prev as number, seq: seq as number, changes: changes.map(change) }
  return note ? { ...told, note } : told
}

/** A plain datagram: an event, or one of 61, 64, 65. Throws Malformed. */
export function readPlain(data: Uint8Array): Members & { msg_type: number } {
  let event: unknown
  try {
    event = JSON.parse(new TextDecoder().decode(data))
  } catch {
    throw new Malformed('plain: not JSON')
  }
  if (typeof event !== 'object' || event === null || typeof (event as Members)['msg_type'] !== 'number') throw new Malformed('plain: no msg_type')
  return event as Members & { msg_type: number }
}

// --- what a device sends ---

export const bytesOf = (message: Members): Uint8Array => new TextEncoder().encode(JSON.stringify(message))

/** Datagram 60: challenge the socket that this comes from. */
export const hello = (token: string): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ msg_type: HELLO, token }).padEnd(HELLO_BYTES))
/** Datagram 62. */
export const echo = (token: string, challenge: string): Uint8Array => bytesOf({ msg_type: ECHO, token, challenge })
/** Datagram 63: what changed from `from` to `to`. */
export const ask = (token: string, from: number, to: number): Uint8Array => bytesOf({ msg_type: ASK, token, from, to })

// --- streams and PUB ---

export interface StreamEvent {
  event: string
  id: string | null
  data: Members
}

/** A comment of a stream, without blanks around it: `behind` before a snapshot, `resumed`, '' as a sign of life. */
export interface StreamComment {
  comment: string
}

/** Server-sent events, whatever pieces they come in. */
export class EventReader {
  #rest: string[] = [] // pieces of a line: a state of many megabytes is one
  #lines = new Map<string, string>()
  #decoder = new TextDecoder()

  /** The events that are complete now. Throws Malformed. */
  feed(data: Uint8Array): StreamEvent[] {
    return this.read(data).filter(part => 'event' in part)
  }

  /** The events and the comments that are complete now, in their order. Throws Malformed. */
  read(data: Uint8Array): Array<StreamEvent | StreamComment> {
    const text = this.#decoder.decode(data, { stream: true })
    this.#rest.push(text)
    if (!text.includes('\n')) return []
    const lines = this.#rest.join('').split('\n')
    this.#rest = [lines.pop() ?? '']
    return lines.map(line => this.#take(line.endsWith('\r') ? line.slice(0, -1) : line)).filter(part => part !== undefined)
  }

  #take(line: string): StreamEvent | StreamComment | undefined {
    if (line === '') return this.#event()
    const colon = line.indexOf(':')
    if (colon === 0) return { comment: line.slice(1).trim() }
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    const before = name === 'data' ? this.#lines.get(name) : undefined
    this.#lines.set(name, before === undefined ? value : before + '\n' + value)
    return undefined
  }

  #event(): StreamEvent | undefined {
    const lines = this.#lines
    this.#lines = new Map()
    const data = lines.get('data')
    if (data === undefined) return undefined
    try {
      return { event: lines.get('event') ?? 'message', id: lines.get('id') ?? null, data: JSON.parse(data) as Members }
    } catch {
      throw new Malformed('stream: data that is not JSON')
    }
  }
}

/** The three frames of a PUB message. Throws Malformed. */
export function readPub(frames: Uint8Array[]): { topic: string, header: unknown, body: unknown } {
  const [topic, header, body] = frames
  if (!topic || !header || !body || frames.length !== 3) throw new Malformed('PUB: not three frames')
  return { topic: new TextDecoder().decode(topic), header: toJson(unpack(header)), body: toJson(unpack(body)) }
}
