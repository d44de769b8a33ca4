// Follows one scene by one stream, however often it breaks off, and says what holds. Runs in the
// worker.
import { ApiError, DeltaReader, type Follower, type Known, type Tick } from 'diorama-client'
import type { Members, StreamComment, StreamEvent } from 'diorama-client/packets'
import { askJson, path, refusalOf, statusOf } from '../api/http'
import type { Ask, Device, Property, Thing } from '../api/types'
import { SceneStore } from './feed'
import { follow } from './follow'
import type { Word } from './protocol'

const RATE = 30

const names: Record<number, string> = { 40: 'scene made', 41: 'scene changed', 42: 'scene deleted', 45: 'alignment' }
const words: Record<number, Word> = { 401: 'signed out', 403: 'refused', 404: 'gone' }

export class SceneStream {
  readonly store = new SceneStore()
  private delta = new DeltaReader({
    created: (thing, record) => this.add(thing, record),
    moved: ({ key }, pose) => {
      this.store.move(key, pose)
      this.store.state.changes++
    },
    changed: (thing, members) => this.alter(thing, members),
    deleted: ({ kind, key }) => {
      this.store.remove(kind, key)
      this.note(kind === 'device' ? 'left' : 'deleted', key)
    },
    event: event => this.other(event.msg_type as number),
  })
  private path: string
  private follower: Follower

  constructor(scene: string) {
    this.path = path`/v1/scene/${scene}`
    this.follower = follow({
      path: `${this.path}/events`,
      query: { form: 'delta', precision: 'full', rate: RATE },
      take: part => this.take(part),
      taken: () => this.store.pump(),
      broken: (failure, wait) =>
        this.store.tell({
          word: words[statusOf(failure)] ?? 'reconnecting',
          detail: failure instanceof ApiError ? refusalOf(failure) : '',
          until: wait === undefined ? undefined : Date.now() + wait,
        }),
    })
  }

  end() {
    this.follower.end()
  }

  // At once, if it waits.
  retry() {
    this.follower.retry()
  }

  private take(part: StreamEvent | StreamComment) {
    if ('comment' in part) return part.comment === 'behind' && this.store.tell({ word: 'behind' })
    const { event, data } = part
    if (event === 'snapshot') this.begin(data)
    else if (event === 'ask') this.store.ask(data.ask as Ask)
    else if (event === 'changes') this.change(data as Members & Tick)
  }

  private begin(snapshot: Members) {
    const { object, property, device } = this.delta.begin(snapshot)
    this.store.replace(object as unknown as Thing[], property as unknown as Property[])
    this.store.replaceDevices(device as unknown as Device[])
    this.store.tell({ word: 'live', seq: snapshot.seq as number })
  }

  // How sure devices are follows from others, so it may change without them.
  private async askDevices() {
    try {
      const { scenes } = await askJson<{ scenes: { devices?: Device[] }[] }>('GET', this.path, { signal: this.follower.signal })
      this.store.replaceDevices(scenes[0]?.devices ?? [])
      this.store.pump()
    } catch {
      // the stream has broken off too, and is begun again
    }
  }

  private change(tick: Tick) {
    const { state } = this.store
    if (tick.prev !== state.seq) state.gaps++
    state.seq = tick.seq
    this.delta.take(tick)
  }

  private note(what: string, key: string) {
    const { state } = this.store
    state.changes++
    this.store.note({ seq: state.seq, at: Date.now(), what, key })
  }

  private add({ kind, key }: Known, record: Members) {
    this.store.put(kind, key, record as unknown as Thing)
    this.note(kind === 'device' ? 'joined' : 'created', key)
  }

  // `timestamp` comes with each update of a program that sends it, and no screen shows it.
  private alter({ kind, key }: Known, { timestamp: _, ...members }: Members) {
    if (!Object.keys(members).length) return
    this.store.change(kind, key, members)
    this.note('owner' in members ? (members.owner ? 'locked' : 'unlocked') : 'changed', key)
  }

  private other(type: number) {
    this.note(names[type] ?? 'changed', '')
    if (type === 42) this.store.tell({ word: 'gone', detail: 'It was deleted.' })
    else if (type === 45) void this.askDevices()
  }
}
