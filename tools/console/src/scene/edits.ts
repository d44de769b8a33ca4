// Changes that somebody makes here: the lock while they hold a thing, the write, the way back.
import { computed, signal } from '@preact/signals'
import { Locked } from 'diorama-client'
import { ask, faultsOf, path, statusOf, refusalOf } from '../api/http'
import type { Thing } from '../api/types'
import { fullDisk, fullWords } from '../app/disk'
import { say } from '../ui/toast'
import type { Grab } from './view/gizmo'
import { holderWords, Leases } from './leases'
import type { SceneModel } from './model'
import { titleOf } from './model'

type Members = Record<string, unknown>

export interface Change {
  key: string
  members: Members
  back: Members
}

interface Step {
  key: string
  title: string
  back: Members
  etag: string | null // of what the step left; null: it is not compared
  axes: string // of the numbers, for the address
  many?: Change[] // several things that were changed at once
}

const DRAG_MS = 50

// Of a pose of the view: quaternion x y z w there, w first here.
export function membersOf(pose: ArrayLike<number>): Members {
  const p = Array.from(pose)
  return { translation: p.slice(0, 3), quaternion_rotation: [p[6], p[3], p[4], p[5]], scale: p.slice(7, 10) }
}

export class Edits {
  readonly leases: Leases
  readonly steps = signal<Step[]>([])
  readonly refused = signal<Error | null>(null) // the last write, for its field
  // Why nothing can be changed now, or ''.
  readonly why = computed(() => {
    if (this.model.isPast.value) return 'This is the past: nothing is moved in it.'
    if (fullDisk.value) return fullWords(fullDisk.value)
    return this.model.word.value === 'reconnecting' ? 'The server does not answer: nothing can be changed until it does.' : ''
  })
  release: () => void = () => {} // the view shows again what the server says
  private turn: Promise<unknown> = Promise.resolve()
  private settling: Promise<unknown> = Promise.resolve() // a lock changes, and with it what steps are compared with
  private pending: Float64Array | null = null
  private writing: Promise<unknown> | null = null
  private locked: Promise<boolean> | null = null

  constructor(private readonly model: SceneModel) {
    this.leases = new Leases(model)
    this.leases.onRenew = (key, renew) => this.keepingSteps(key, renew)
    this.leases.onLost = (key, holder) => {
      const who = holder && holder !== this.device ? `${holderWords({ holder })} holds ${this.titleOf(key)} now.` : `Your hold of ${this.titleOf(key)} has ended.`
      say(who, true)
    }
  }

  get device() {
    return this.leases.device
  }

  end() {
    this.leases.stop()
  }

  private at(key: string) {
    return path`/v1/scene/${this.model.scene}/object/${key}`
  }

  private async lock(key: string): Promise<boolean> {
    try {
      await this.leases.take(key, 'drag')
      return true
    } catch (failure) {
      this.tell(failure, key)
      return false
    }
  }

  // The lock is a part of a thing's state: its newest step is compared with the state after the
  // lock has changed, if nothing else had changed before.
  private keepingSteps(key: string, work: () => Promise<unknown>) {
    const done = this.keepSteps(key, work)
    this.settling = done.catch(() => {})
    return done
  }

  private async keepSteps(key: string, work: () => Promise<unknown>) {
    const step = this.steps.peek().findLast(one => one.key === key)
    const isAsLeft = step?.etag && (await this.tagOf(key)) === step.etag
    await work()
    if (isAsLeft) this.left(key, await this.tagOf(key))
  }

  private tagOf(key: string) {
    return ask('GET', this.at(key)).then(answer => answer.headers.get('ETag'), () => null)
  }

  tell(failure: unknown, key: string) {
    const title = this.titleOf(key)
    const status = statusOf(failure)
    if (failure instanceof Locked) say(`${failure.holder ? holderWords(failure) : 'Another device'} holds ${title}. Nothing was changed.`, true)
    else if (status === 429) say(`The holder was asked a moment ago.`)
    else if (status === 403) say(`You may not change ${title}.`, true)
    else say(`${title}: ${refusalOf(failure)}`, true)
  }

  titleOf(key: string) {
    const entry = this.model.entry(`object ${key}`)
    return entry ? titleOf(entry) : key
  }

  private async send(key: string, members: Members, match?: string | null, axes = '') {
    const fence = this.leases.fence(key)
    const answer = await ask('POST', `${this.at(key)}?device=${this.device}${axes && '&' + axes}`, {
      body: { objects: [members] },
      headers: { ...(match && { 'If-Match': match }), ...(fence && { 'X-Fence': String(fence) }) },
    })
    return answer.headers.get('ETag')
  }

  // Writes and steps back follow each other: an undo means what was asked for before it.
  private after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work)
    this.turn = done.catch(() => {})
    return done
  }

  // One acknowledged write, and a step back. True where it was taken.
  write(key: string, members: Members, back: Members, axes = ''): Promise<boolean> {
    return this.after(() => this.writeNow(key, members, back, axes))
  }

  // Several things in one commit, all or none, and one step back.
  writeAll(changes: Change[], axes = ''): Promise<boolean> {
    return this.after(async () => {
      this.refused.value = null
      if (this.isOff()) return false
      try {
        await this.sendAll(changes.map(({ key, members }) => ({ key, ...members })), axes)
        this.steps.value = [...this.steps.value.slice(-99), { key: '', title: `${changes.length} things`, back: {}, etag: null, axes, many: changes }]
        return true
      } catch (failure) {
        this.refused.value = failure as Error
        say(refusalOf(failure), true)
        return false
      }
    })
  }

  private sendAll(update: Members[], axes: string) {
    return ask('POST', `${path`/v1/scene/${this.model.scene}/bulk`}${axes && '?' + axes}`, { body: { update } })
  }

  async removeAll(keys: string[]) {
    if (this.isOff()) return
    try {
      await ask('POST', path`/v1/scene/${this.model.scene}/bulk`, { body: { delete: keys } })
      say(`${keys.length} things are deleted.`)
    } catch (failure) {
      say(refusalOf(failure), true)
    }
  }

  private isOff() {
    if (this.why.value) say(this.why.value, true)
    return this.why.value !== ''
  }

  private async writeNow(key: string, members: Members, back: Members, axes = ''): Promise<boolean> {
    this.refused.value = null
    if (this.isOff()) return false
    try {
      const etag = await this.send(key, members, null, axes)
      this.steps.value = [...this.steps.value.slice(-99), { key, title: this.titleOf(key), back, etag, axes }]
      return true
    } catch (failure) {
      this.refused.value = failure as Error
      if (faultsOf(failure).length === 0) this.tell(failure, key)
      return false
    }
  }

  undo() {
    return this.after(() => this.undoOne())
  }

  private async undoOne() {
    await this.settling
    const step = this.steps.value.at(-1)
    if (!step || this.isOff()) return
    try {
      if (step.many) {
        await this.sendAll(step.many.map(({ key, back }) => ({ key, ...back })), step.axes)
        this.steps.value = this.steps.value.slice(0, -1)
        return say(`${step.title} are as they were.`)
      }
      const etag = await this.send(step.key, step.back, step.etag, step.axes)
      this.steps.value = this.steps.value.slice(0, -1)
      this.left(step.key, etag)
      say(`${step.title} is as it was.`)
    } catch (failure) {
      if (statusOf(failure) === 412) {
        this.steps.value = [...this.steps.value.slice(0, -1), { ...step, etag: null }]
        say(`${step.title} was changed since. Undo once more to undo all the same.`, true)
      } else {
        if (statusOf(failure) === 404) this.steps.value = this.steps.value.slice(0, -1)
        this.tell(failure, step.key)
      }
    }
  }

  // The newest step of a thing is compared with this state of it.
  private left(key: string, etag: string | null) {
    const at = this.steps.value.findLastIndex(step => step.key === key)
    if (at >= 0) this.steps.value = this.steps.value.map((step, i) => (i === at ? { ...step, etag } : step))
  }

  async remove(key: string) {
    if (this.isOff()) return
    try {
      await ask('DELETE', `${this.at(key)}?device=${this.device}`)
      say(`${this.titleOf(key)} is deleted.`)
    } catch (failure) {
      this.tell(failure, key)
    }
  }

  async create(record: Partial<Thing>): Promise<string> {
    const answer = await ask('POST', path`/v1/scene/${this.model.scene}/object`, { body: { objects: [record] } })
    return ((await answer.json()) as { objects: { key: string }[] }).objects[0]!.key
  }

  // --- held by the gizmo ---

  private keyOf(index: number) {
    return this.model.entries.get(index)?.key ?? ''
  }

  begin(index: number) {
    this.locked = this.lock(this.keyOf(index))
  }

  // At most twenty times a second, the newest wins, one under way.
  drag(index: number, pose: Float64Array) {
    this.pending = pose
    this.writing ??= this.stream(this.keyOf(index))
  }

  private async stream(key: string) {
    try {
      while (this.pending && (await this.locked) && this.leases.fence(key)) {
        const pose = this.pending
        this.pending = null
        const began = performance.now()
        await this.send(key, membersOf(pose))
        await new Promise(resolve => setTimeout(resolve, Math.max(0, DRAG_MS - (performance.now() - began))))
      }
    } catch {
      // the write at the end says what is wrong
    } finally {
      this.writing = null
    }
  }

  drop(index: number, pose: Float64Array, before: Float64Array) {
    return this.after(() => this.letGo(index, pose, before))
  }

  private async letGo(index: number, pose: Float64Array, before: Float64Array) {
    const key = this.keyOf(index)
    this.pending = null
    const holds = await this.locked
    await this.writing
    if (holds && this.leases.fence(key)) {
      await this.writeNow(key, membersOf(pose), membersOf(before))
      await this.leases.end(key, 'drag')
    }
    this.release()
  }
}

// What the view needs of it.
export function grabOf(edits: Edits): Grab {
  return {
    begin: index => edits.begin(index),
    drag: (index, pose) => edits.drag(index, pose),
    end: (index, pose, before) => void edits.drop(index, pose, before),
  }
}
