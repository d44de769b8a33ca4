// Follows one scene by one stream, however often it breaks off, and says what holds. Runs in the
// worker.
import type { Kind } from 'diorama-client'
import type { Ask, Device, Property, Thing } from '../api/types'
import { SceneStore } from './feed'
import { Follower } from './follow'
import type { Sse } from './sse'

const RATE = 30

const names: Record<number, string> = { 40: 'scene made', 41: 'scene changed', 42: 'scene deleted', 45: 'alignment' }

type Indexed<T> = T & { i: number }

interface Snapshot {
  seq: number
  objects: Indexed<Thing>[]
  devices: Indexed<Device>[]
  properties: Indexed<Property>[]
}

// What a tick has changed: new things, poses of objects, changed members, what is gone, what concerns the scene.
interface Changes {
  prev: number
  seq: number
  n?: Indexed<{ kind: Kind; key: string }>[]
  p?: number[][]
  r?: Indexed<Record<string, unknown>>[]
  x?: number[]
  e?: { msg_type: number }[]
}

export class SceneStream {
  readonly store = new SceneStore()
  private known = new Map<number, { kind: Kind; key: string }>() // by the index that the stream has for it
  private follower = new Follower({
    path: () => `${this.path}/events?form=delta&precision=full&rate=${RATE}`,
    take: event => this.take(event),
    read: () => this.store.pump(),
    tell: (word, detail, until) => this.store.tell({ word, detail, until }),
  })

  constructor(private readonly scene: string) {
    this.follower.begin()
  }

  end() {
    this.follower.end()
  }

  // At once, if it waits.
  retry() {
    this.follower.retry()
  }

  private get path() {
    return `/v1/scene/${encodeURIComponent(this.scene)}`
  }

  private take(event: Sse) {
    if (event.event === '' && event.data === 'behind') this.store.tell({ word: 'behind' })
    else if (event.event === 'snapshot') this.begin(JSON.parse(event.data))
    else if (event.event === 'ask') this.store.ask((JSON.parse(event.data) as { ask: Ask }).ask)
    else if (event.event === 'changes') this.change(JSON.parse(event.data))
  }

  private begin(snapshot: Snapshot) {
    this.known.clear()
    this.store.replace(this.learn('object', snapshot.objects), this.learn('property', snapshot.properties))
    this.store.replaceDevices(this.learn('device', snapshot.devices))
    this.store.tell({ word: 'live', seq: snapshot.seq })
  }

  private learn<T extends { key: string }>(kind: Kind, things: Indexed<T>[]): T[] {
    return things.map(({ i, ...thing }) => {
      this.known.set(i, { kind, key: thing.key })
      return thing as unknown as T
    })
  }

  // How sure devices are follows from others, so it may change without them.
  private async askDevices() {
    try {
      const answer = await fetch(this.path, { signal: this.follower.signal })
      if (!answer.ok) return
      const body = (await answer.json()) as { scenes: { devices?: Device[] }[] }
      this.store.replaceDevices(body.scenes[0]?.devices ?? [])
      this.store.pump()
    } catch {
      // the stream has broken off too, and is begun again
    }
  }

  private change(changes: Changes) {
    const { state } = this.store
    if (changes.prev !== state.seq) state.gaps++
    state.seq = changes.seq
    for (const thing of changes.n ?? []) this.add(thing)
    for (const pose of changes.p ?? []) this.move(pose)
    for (const members of changes.r ?? []) this.alter(members)
    for (const index of changes.x ?? []) this.remove(index)
    for (const other of changes.e ?? []) this.other(other.msg_type)
  }

  private note(what: string, key: string) {
    const { state } = this.store
    state.changes++
    this.store.note({ seq: state.seq, at: Date.now(), what, key })
  }

  private add({ i, kind, ...thing }: Indexed<{ kind: Kind; key: string }>) {
    this.known.set(i, { kind, key: thing.key })
    this.store.put(kind, thing.key, thing as unknown as Thing)
    this.note(kind === 'device' ? 'joined' : 'created', thing.key)
  }

  private move(pose: number[]) {
    const thing = this.known.get(pose[0]!)
    if (!thing) return
    this.store.move(thing.key, pose, 1)
    this.note('changed', thing.key)
  }

  // `timestamp` comes with each update of a program that sends it, and no screen shows it.
  private alter({ i, timestamp: _, ...members }: Indexed<Record<string, unknown>>) {
    const thing = this.known.get(i)
    if (!thing || !Object.keys(members).length) return
    this.store.change(thing.kind, thing.key, members)
    this.note('owner' in members ? (members.owner ? 'locked' : 'unlocked') : 'changed', thing.key)
  }

  private remove(index: number) {
    const thing = this.known.get(index)
    if (!thing) return
    this.known.delete(index)
    this.store.remove(thing.kind, thing.key)
    this.note(thing.kind === 'device' ? 'left' : 'deleted', thing.key)
  }

  private other(type: number) {
    this.note(names[type] ?? 'changed', '')
    if (type === 42) this.store.tell({ word: 'gone', detail: 'It was deleted.' })
    else if (type === 45) void this.askDevices()
  }
}
