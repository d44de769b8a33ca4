import { Entity, isSame, type Change } from './entity.js'
import { isCreate, isDelete, nounOf, type Members, type Noun } from './packets.js'
import type { Scene } from './scene.js'

const TOMBSTONE_MS = 60000
const NOT_PLAIN = ['translation_handle', 'rotation_handle', 'scale_handle', 'asset_sub_id', 'actions', 'lock']
const CUT = ['assets', 'tags', 'extras']
/** What a whole record without it says is not there. */
const WHOLE: Record<Noun, string[]> = {
  object: ['name', 'scene', 'parent', 'type', 'subtype', 'owner', 'frame', 'timestamp', 'transform', 'assets', 'tags', 'extras',
    'visible', ...NOT_PLAIN],
  property: ['name', 'scene', 'parent', 'frame', 'timestamp', 'values', 'asset_sub_id', 'actions'],
}

export const PLURAL: Record<Noun, 'objects' | 'properties'> = { object: 'objects', property: 'properties' }

/** All members that a record of this noun has: null those that are not in it. */
export const whole = (noun: Noun, record: Members): Members => Object.fromEntries(WHOLE[noun].map(name => [name, record[name] ?? null]))

/** All entities of a scene, and the rule by which they change (proto/feed/README.md). */
export class Store {
  readonly entities = new Map<string, Entity>()
  /** The start of the server whose numbers these are. */
  epoch: number | undefined

  constructor(private readonly scene: Scene) {}

  entity(noun: Noun, key: string): Entity {
    let entity = this.entities.get(key)
    if (!entity) this.entities.set(key, entity = new Entity(this.scene, noun, key))
    return entity
  }

  /** An event from 0 to 30. `isWhole`: all members are there, absent ones were removed. */
  take(type: number, key: string, members: Members, prev: number, seq: number, isWhole = false): Change[] {
    const entity = this.entity(nounOf(type), key)
    return this.#changed(entity, prev, seq, () => {
      if (isDelete(type)) {
        entity.bury(seq)
        entity.exists &&= entity.hasWord
      } else {
        entity.take(members, seq, performance.now())
        entity.exists ||= entity.hasWord && (isCreate(type) || isWhole)
      }
    })
  }

  /** The answer to a write, which `confirm` takes: its event, which may come later, says nothing new then. */
  takeAnswer(entity: Entity, seq: number, confirm: () => void): Change[] {
    const prev = entity.seq
    if (entity.isTold) return this.#changed(entity, prev, Math.max(prev, seq), confirm)
    confirm()
    return []
  }

  #changed(entity: Entity, prev: number, seq: number, act: () => void): Change[] {
    const before = entity.isTold ? entity.members : {}
    act()
    const after = entity.exists ? entity.members : {}
    const names = new Set([...Object.keys(before), ...Object.keys(after)].filter(name => !isSame(before[name], after[name])))
    if (entity.exists !== entity.isTold) {
      entity.isTold = entity.exists
      return [{ kind: entity.exists ? 'created' : 'deleted', object: entity, members: names, prev, seq }]
    }
    return entity.exists && names.size ? [{ kind: 'updated', object: entity, members: names, prev, seq }] : []
  }

  /** A plain datagram that is an event. */
  takePlain(event: Members & { msg_type: number }): Change[] {
    const type = event.msg_type, isCut = event['truncated'] === true
    const names = WHOLE[nounOf(type)].filter(name => !NOT_PLAIN.includes(name) && !(isCut && (CUT.includes(name) || !(name in event))))
    const members: Members = Object.fromEntries(names.map(name => [name, event[name] ?? null]))
    if (type >= 15 && !isCut) members['actions'] = event['actions'] ?? null
    return this.take(type, String(event['key']), members, Number(event['prev']), Number(event['seq']), true)
  }

  /** A whole record, of a stream or of an answer. */
  takeRecord(noun: Noun, record: Members, prev: number, seq: number): Change[] {
    return this.take(noun === 'property' ? 8 : 0, String(record['key']), whole(noun, record), prev, seq, true)
  }

  /** All records of a noun, at `seq`: what is not there was deleted. */
  takeState(noun: Noun, records: Members[], prev: number, seq: number): Change[] {
    const found = new Set(records.map(record => record['key']))
    const changes = records.flatMap(record => this.takeRecord(noun, record, prev, seq))
    for (const [key, entity] of this.entities) {
      if (entity.noun === noun && !found.has(key)) changes.push(...this.take(noun === 'property' ? 11 : 3, key, {}, prev, seq))
    }
    return changes
  }

  /** Tombstones are forgotten after a minute. */
  purge(now: number): void {
    for (const [key, entity] of this.entities) {
      if (!entity.exists && !entity.hasWord && now - entity.buried > TOMBSTONE_MS) this.entities.delete(key)
    }
  }

  /** What comes now has the numbers of this start of the server; those of another one mean nothing beside them. */
  begin(epoch: number): void {
    if (epoch !== this.epoch) for (const entity of this.entities.values()) entity.forgetNumbers()
    this.epoch = epoch
  }
}

/** One change an entity, in the order of the newest. */
export function merged(changes: Change[]): Change[] {
  const newest = new Map<Entity, Change>()
  for (const change of changes) {
    const before = newest.get(change.object)
    newest.delete(change.object)
    let kind = change.kind
    if (before?.kind === 'created' && kind === 'updated') kind = 'created'
    else if (before?.kind === 'deleted' && kind === 'created') kind = 'updated'
    newest.set(change.object, before
      ? { ...change, kind, members: new Set([...before.members, ...change.members]), prev: before.prev } : change)
  }
  return [...newest.values()]
}
