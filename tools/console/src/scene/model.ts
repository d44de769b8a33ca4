// What a page knows of one scene: records as signals for lists, poses in typed arrays for the view.
import { computed, signal } from '@preact/signals'
import type { Ask, Device, Thing } from '../api/types'
import { type Live, watch } from '../live/client'
import { IndexSet } from '../live/index_set'
import { between, copyPose } from '../live/matrix'
import { type Batch, type Entry, POSE, type State } from '../live/protocol'
import { EventLog } from './event_log'
import { Cursor } from './past/cursor'
import { Tape } from './past/tape'

const EASE_MS = 120 // a single move takes so long
const NEWS_MS = 200 // events are shown at most as often

export const nameOf = (kind: string, key: string) => `${kind} ${key}`

export interface Listener {
  structure(changed: Entry[], gone: number[]): void
  moved(): void
}

export class SceneModel {
  readonly tape = new Tape()
  readonly past = signal<number | null>(null) // the time that is shown, of performance.now(); null: the present
  readonly isPast = computed(() => this.past.value !== null)
  readonly entries = new Map<number, Entry>() // what is shown
  readonly byName = new Map<string, Entry>()
  readonly structure = signal(0) // grows when the lists change
  readonly state = signal<State>({ word: 'catching up', gaps: 0, seq: 0, changes: 0, consoles: 0 })
  // Screens follow these: the state itself is another one with each batch.
  readonly word = computed(() => this.state.value.word)
  readonly consoles = computed(() => this.state.value.consoles)
  readonly loaded = signal(false)
  readonly selected = signal('') // a name of byName
  readonly also = signal<{ beside: string; names: Set<string> }>({ beside: '', names: new Set() })
  // All that is selected, the one that was selected last first.
  readonly chosen = computed(() => {
    const { beside, names } = this.also.value
    const { value } = this.selected
    return !value ? [] : beside === value ? [value, ...names] : [value]
  })
  readonly asked = signal<Ask | null>(null) // the newest question for what somebody holds
  readonly hidden = signal(new Set<number>())
  readonly log = new EventLog()
  readonly news = signal(0) // grows when the log does
  readonly moving = new IndexSet()
  readonly still = matchMedia('(prefers-reduced-motion: reduce)').matches
  listener: Listener | null = null
  private from = new Float64Array(64 * POSE)
  private to = new Float64Array(64 * POSE)
  private begun = new Float64Array(64) // when the present way began, milliseconds of the page
  private takes = new Float64Array(64) // how long it takes
  private live: Live
  private present = new Map<number, Entry>() // what there is, whatever is shown
  private cursor = new Cursor(this.tape)
  private frame = 0
  private newsTimer: ReturnType<typeof setTimeout> | undefined

  constructor(readonly scene: string) {
    this.live = watch(scene, batch => this.take(batch))
  }

  end() {
    cancelAnimationFrame(this.frame)
    clearTimeout(this.newsTimer)
    this.live.end()
  }

  retry() {
    this.live.retry()
  }

  entry(name: string) {
    return this.byName.get(name)
  }

  object(key: string) {
    return this.byName.get(nameOf('object', key))?.record as Thing | undefined
  }

  objects(): Entry[] {
    return [...this.entries.values()].filter(entry => entry.kind === 'object')
  }

  devices(): Entry[] {
    return [...this.entries.values()].filter(entry => entry.kind === 'device')
  }

  // Selects it alone, or adds it to what is selected, or takes it away again.
  select(name: string, adds = false) {
    const names = new Set(adds ? this.chosen.peek() : [])
    const isNew = !names.delete(name)
    const first = isNew ? name : ([...names][0] ?? '')
    names.delete(first)
    this.selected.value = first
    this.also.value = { beside: first, names }
  }

  private take(batch: Batch) {
    const now = performance.now()
    this.tape.roll(now, this.to)
    if (batch.cleared) this.clear()
    const { entries: changed = [], gone = [], moved } = batch
    const changes = batch.state ? Math.max(0, batch.state.changes - this.state.peek().changes) : 0
    if (changed.length || gone.length || moved || changes) this.tape.take(now, { changed, gone, moved, changes })
    for (const index of gone) this.present.delete(index)
    for (const entry of changed) this.present.set(entry.index, entry)
    if (this.past.peek() === null && (changed.length || gone.length)) this.restructure(changed, gone)
    if (moved) this.move(moved, batch.poses!, now)
    if (batch.happened) this.log.take(batch.happened)
    if (batch.told) this.log.move({ seq: batch.state!.seq, at: Date.now(), indexes: batch.told })
    if (batch.happened || batch.told) this.tellNews()
    for (const asked of batch.asked ?? []) this.asked.value = asked
    if (batch.state) {
      this.state.value = batch.state
      if (batch.state.word === 'live') this.loaded.value = true
    }
    this.frame = requestAnimationFrame(() => this.live.next())
  }

  private tellNews() {
    this.newsTimer ??= setTimeout(() => {
      this.newsTimer = undefined
      this.news.value++
    }, NEWS_MS)
  }

  private clear() {
    const gone = [...this.entries.keys()]
    this.entries.clear()
    this.byName.clear()
    this.present.clear()
    this.moving.clear()
    this.tape.clear()
    this.log.forgetMoves()
    this.past.value = null
    if (gone.length) this.listener?.structure([], gone)
  }

  // What came until now is recorded, also if nothing follows it.
  record() {
    this.tape.roll(performance.now(), this.to)
  }

  // Shows what there was at a time, or what there is (null).
  look(at: number | null) {
    this.tape.roll(performance.now(), this.to, true)
    if (at === null) this.past.value = null
    else {
      this.cursor.seek(at)
      this.past.value = this.cursor.at
    }
    const wanted = at === null ? this.present : this.cursor.entries
    const changed = [...wanted.values()].filter(entry => this.entries.get(entry.index) !== entry)
    const gone = [...this.entries.keys()].filter(index => !wanted.has(index))
    if (changed.length || gone.length) this.restructure(changed, gone)
    for (const index of this.entries.keys()) this.moving.add(index)
    this.listener?.moved()
  }

  private restructure(changed: Entry[], gone: number[]) {
    for (const index of gone) {
      const entry = this.entries.get(index)
      if (!entry) continue
      this.entries.delete(index)
      this.moving.delete(index)
      const name = nameOf(entry.kind, entry.key)
      if (this.byName.get(name)?.index === index) this.byName.delete(name)
      if (this.selected.value === name && !this.present.has(index)) this.selected.value = ''
    }
    for (const entry of changed) {
      this.entries.set(entry.index, entry)
      this.byName.set(nameOf(entry.kind, entry.key), entry)
    }
    this.listener?.structure(changed, gone)
    this.structure.value++
  }

  private grow(index: number) {
    while ((index + 1) * POSE > this.to.length) {
      const double = (old: Float64Array) => {
        const larger = new Float64Array(old.length * 2)
        larger.set(old)
        return larger
      }
      this.from = double(this.from)
      this.to = double(this.to)
      this.begun = double(this.begun)
      this.takes = double(this.takes)
    }
  }

  private move(indexes: Uint32Array, poses: Float64Array, now: number) {
    const isShown = this.past.peek() === null
    this.grow(indexes.reduce((most, index) => Math.max(most, index), 0))
    const { from, to, begun, takes, still, moving } = this
    for (let i = 0; i < indexes.length; i++) {
      const index = indexes[i]!
      const at = index * POSE
      const isKnown = begun[index]! > 0
      const since = now - begun[index]!
      if (!isKnown) copyPose(poses, i * POSE, from, at)
      else if (since < takes[index]!) between(from, to, at, since / takes[index]!, from, at)
      else copyPose(to, at, from, at)
      copyPose(poses, i * POSE, to, at)
      begun[index] = now
      takes[index] = isKnown && !still ? Math.min(since, EASE_MS) : 0
      if (isShown) moving.add(index)
    }
    if (isShown) this.listener?.moved()
  }

  // The pose that is shown now; true while it goes on moving.
  poseAt(index: number, now: number, out: Float64Array): boolean {
    if (this.past.peek() === null) return this.way(index, now, out)
    this.cursor.pose(index, out)
    return false
  }

  private way(index: number, now: number, out: Float64Array): boolean {
    const takes = this.takes[index]!
    const part = takes ? (now - this.begun[index]!) / takes : 1
    if (part < 1) {
      between(this.from, this.to, index * POSE, part, out)
      return true
    }
    copyPose(this.to, index * POSE, out, 0)
    return false
  }

  // The newest pose of what is shown.
  newest(index: number): Float64Array {
    if (this.past.peek() === null) return this.truth(index)
    const pose = new Float64Array(POSE)
    this.cursor.pose(index, pose)
    return pose
  }

  private truth = (index: number) => this.to.subarray(index * POSE, (index + 1) * POSE)
}

export function titleOf(entry: Entry): string {
  const record = entry.record as Thing
  return record.name || entry.key
}

export function isDevice(entry: Entry): entry is Entry & { record: Device } {
  return entry.kind === 'device'
}
