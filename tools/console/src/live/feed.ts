// One scene as its stream tells it: the newest state of each thing, and what a page has not been
// told yet. Runs in the worker.
import type { Kind, Pose } from 'diorama-client'
import type { Ask, Device, Property, Thing } from '../api/types'
import { IndexSet } from './index_set'
import { copyPose, poseOfDevice, poseOfMatrix } from './matrix'
import { type Batch, type Entry, type Happening, isConsole, POSE, type State } from './protocol'

// One page that watches.
export interface Watcher {
  send: (batch: Batch, transfer: Transferable[]) => void
  wants: boolean // it has drawn what it was sent
  fresh: boolean // it knows nothing yet
  entries: Set<number>
  gone: Set<number>
  moved: IndexSet
  told: IndexSet // of these, what the stream said has moved
  happened: Happening[]
  asked: Ask[]
  state: boolean // it has not been told the present one
}

const HAPPENED_MOST = 200

export class SceneStore {
  private indexes = new Map<string, number>()
  private entries = new Map<number, Entry>()
  private poses = new Float64Array(256 * POSE)
  private next = 0
  private pumping = false
  private consoles = new Set<string>()
  readonly watchers = new Set<Watcher>()
  state: State = { word: 'catching up', gaps: 0, seq: 0, changes: 0, consoles: 0 }

  tell(state: Partial<State>) {
    this.state = { ...this.state, until: undefined, detail: undefined, ...state }
    for (const watcher of this.watchers) watcher.state = true
    this.pump()
  }

  // The whole state: what it does not name is gone.
  replace(objects: Thing[], properties: Property[]) {
    const named = new Set<string>()
    for (const object of objects) named.add(this.put('object', object.key, object))
    for (const property of properties) named.add(this.put('property', property.key, property))
    for (const [name, index] of this.indexes)
      if (!named.has(name) && this.entries.get(index)!.kind !== 'device') this.removeIndex(name, index)
  }

  replaceDevices(devices: Device[]) {
    this.consoles.clear()
    this.countConsoles()
    const named = new Set(devices.map(device => this.put('device', device.key, device)))
    for (const [name, index] of this.indexes)
      if (!named.has(name) && this.entries.get(index)!.kind === 'device') this.removeIndex(name, index)
  }

  put(kind: Kind, key: string, record: Thing | Device | Property): string {
    const name = `${kind} ${key}`
    if (kind === 'device' && isConsole(key)) {
      this.consoles.add(key)
      this.countConsoles()
      return name
    }
    let index = this.indexes.get(name)
    const isNew = index === undefined
    if (index === undefined) {
      index = this.next++
      this.indexes.set(name, index)
      if ((index + 1) * POSE > this.poses.length) {
        const larger = new Float64Array(this.poses.length * 2)
        larger.set(this.poses)
        this.poses = larger
      }
      this.poses.set([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], index * POSE)
    }
    this.place(kind, record, index)
    this.describe(kind, key, record, index, isNew)
    return name
  }

  private countConsoles() {
    this.state = { ...this.state, consoles: this.consoles.size }
    for (const watcher of this.watchers) watcher.state = true
  }

  // What has changed of a thing that is known; null: it has that no more.
  change(kind: Kind, key: string, members: Record<string, unknown>) {
    const index = this.indexes.get(`${kind} ${key}`)
    if (index === undefined) return
    const { transform, ...shown } = members
    if (transform) this.place(kind, members as unknown as Thing, index)
    if (!Object.keys(shown).length) return
    const merged: Record<string, unknown> = { ...this.entries.get(index)!.record, ...shown }
    for (const name in shown) if (shown[name] === null) delete merged[name]
    this.describe(kind, key, merged as unknown as Thing, index, true)
  }

  move(key: string, pose: Pose) {
    const index = this.indexes.get(`object ${key}`)
    if (index === undefined) return
    const [, x, y, z, w, qx, qy, qz, sx = 1, sy = 1, sz = 1] = pose
    const { poses } = this
    const at = index * POSE
    poses[at] = x
    poses[at + 1] = y
    poses[at + 2] = z
    poses[at + 3] = qx
    poses[at + 4] = qy
    poses[at + 5] = qz
    poses[at + 6] = w
    poses[at + 7] = sx
    poses[at + 8] = sy
    poses[at + 9] = sz
    for (const watcher of this.watchers) {
      watcher.moved.add(index)
      watcher.told.add(index)
    }
  }

  private place(kind: Kind, record: Thing | Device | Property, index: number) {
    if (kind === 'object') {
      const { transform } = record as Thing
      if (transform?.length === 16) poseOfMatrix(transform, this.poses, index * POSE)
    } else if (kind === 'device') {
      const { transform } = record as Device
      if (transform) poseOfDevice(transform.translation, transform.rotation, this.poses, index * POSE)
    }
    for (const watcher of this.watchers) watcher.moved.add(index)
  }

  private describe(kind: Kind, key: string, record: Thing | Device | Property, index: number, isNew: boolean) {
    const { transform: _, ...shown } = record as Thing
    const old = this.entries.get(index)
    if (!isNew && old && isSame(old.record as object, shown)) return
    this.entries.set(index, { index, kind, key, record: shown as Entry['record'] })
    for (const watcher of this.watchers) watcher.entries.add(index)
  }

  remove(kind: Kind, key: string) {
    const name = `${kind} ${key}`
    const index = this.indexes.get(name)
    if (index !== undefined) this.removeIndex(name, index)
    else if (this.consoles.delete(key)) this.countConsoles()
  }

  private removeIndex(name: string, index: number) {
    this.indexes.delete(name)
    this.entries.delete(index)
    for (const watcher of this.watchers) {
      watcher.entries.delete(index)
      watcher.moved.delete(index)
      watcher.told.delete(index)
      watcher.gone.add(index)
    }
  }

  note(happening: Happening) {
    for (const watcher of this.watchers) {
      if (watcher.happened.length >= HAPPENED_MOST) watcher.happened.shift()
      watcher.happened.push(happening)
    }
  }

  ask(asked: Ask) {
    for (const watcher of this.watchers) watcher.asked.push(asked)
    this.pump()
  }

  // Tells the pages that wait, once for everything that was read together.
  pump() {
    if (this.pumping) return
    this.pumping = true
    queueMicrotask(() => {
      this.pumping = false
      for (const watcher of this.watchers) if (watcher.wants) this.sendTo(watcher)
    })
  }

  private sendTo(watcher: Watcher) {
    if (watcher.fresh) {
      for (const index of this.entries.keys()) {
        watcher.entries.add(index)
        watcher.moved.add(index)
      }
    }
    const { entries, gone, moved, told, happened, asked } = watcher
    if (!watcher.fresh && !watcher.state && !entries.size && !gone.size && !moved.count && !happened.length && !asked.length) return
    const batch: Batch = {}
    if (watcher.fresh) batch.cleared = true
    if (watcher.state || watcher.fresh || moved.count) batch.state = this.state
    if (entries.size) batch.entries = [...entries].map(index => this.entries.get(index)!)
    if (gone.size) batch.gone = [...gone]
    if (happened.length) batch.happened = happened
    if (asked.length) batch.asked = asked
    const transfer: Transferable[] = []
    if (moved.count) {
      const indexes = moved.slice()
      const poses = new Float64Array(moved.count * POSE)
      for (let i = 0; i < indexes.length; i++) copyPose(this.poses, indexes[i]! * POSE, poses, i * POSE)
      batch.moved = indexes
      batch.poses = poses
      transfer.push(indexes.buffer, poses.buffer)
    }
    if (told.count && told.count === moved.count) batch.told = batch.moved // the same, and sent once
    else if (told.count) {
      const indexes = told.slice()
      batch.told = indexes
      transfer.push(indexes.buffer)
    }
    watcher.fresh = watcher.state = watcher.wants = false
    watcher.entries = new Set()
    watcher.gone = new Set()
    moved.clear()
    told.clear()
    watcher.happened = []
    watcher.asked = []
    watcher.send(batch, transfer)
  }
}

function isSame(a: object, b: object) {
  for (const name in b) {
    const [x, y] = [(a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]]
    if (x !== y && (typeof y !== 'object' || JSON.stringify(x) !== JSON.stringify(y))) return false
  }
  return true
}
