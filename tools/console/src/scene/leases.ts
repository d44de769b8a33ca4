// Leases of locks that this tab holds. Each is renewed for as long as somebody here edits the thing or
// wants to keep it, and ends by itself 30 s after this tab has stopped.
import { effect, signal, untracked } from '@preact/signals'
import { Locked } from 'diorama-client'
import { ask, askJson, isAway, path } from '../api/http'
import type { Lock, Thing } from '../api/types'
import { session } from '../app/session'
import { isConsole } from '../live/protocol'
import type { SceneModel } from './model'

const LEASE_S = 30
const RENEW_MS = 10000
const AGAIN_MS = 2000 // where the server did not answer

export type Reason = 'drag' | 'keep'

interface Held {
  fence: number
  reasons: Set<Reason>
  timer: number
  isSeen: boolean // the stream has shown it
}

function random(): string {
  return [...crypto.getRandomValues(new Uint8Array(4))].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

// Who holds it, in words.
export function holderWords({ holder, user }: Pick<Lock, 'holder' | 'user'>) {
  if (!isConsole(holder)) return holder
  return user !== undefined && user === session.peek()?.user?.id ? 'another window of yours' : `another console (${holder.slice(8)})`
}

export class Leases {
  readonly device = `console-${random()}`
  readonly kept = signal(new Set<string>()) // keys that somebody wants to keep while they are selected
  onLost: (key: string, holder: string) => void = () => {}
  onRenew: (key: string, renew: () => Promise<unknown>) => Promise<unknown> = (_, renew) => renew()
  private held = new Map<string, Held>()
  private registered: Promise<unknown> | null = null
  private readonly stopLooking: () => void

  constructor(private readonly model: SceneModel) {
    addEventListener('pagehide', this.leave)
    const stopShowing = effect(() => {
      void model.structure.value
      untracked(() => this.held.forEach((held, key) => this.look(key, held)))
    })
    const stopKeeping = effect(() => {
      const name = model.selected.value
      for (const key of this.kept.peek()) if (name !== `object ${key}`) void this.end(key, 'keep')
    })
    this.stopLooking = () => (stopShowing(), stopKeeping())
  }

  stop() {
    this.stopLooking()
    removeEventListener('pagehide', this.leave)
    this.leave()
  }

  // The device of this tab ends with it, and with the device its locks.
  private leave = () => {
    for (const key of [...this.held.keys()]) this.forget(key)
    if (!this.registered) return
    this.registered = null
    const body = { scenes: [{ devices: [{ key: this.device }] }] }
    void ask('POST', path`/v1/scene/${this.model.scene}/deregister`, { body, keepalive: true }).catch(() => {})
  }

  private register() {
    const body = { scenes: [{ devices: [{ key: this.device }] }] }
    this.registered ??= ask('POST', path`/v1/scene/${this.model.scene}/register`, { body }).catch(failure => {
      this.registered = null
      throw failure
    })
    return this.registered
  }

  private at(key: string) {
    return path`/v1/scene/${this.model.scene}/object/${key}/lock`
  }

  private put(key: string, force: boolean) {
    return askJson<Lock>('PUT', this.at(key), { body: { device: this.device, lease_s: LEASE_S, ...(force && { force }) } })
  }

  // The fence for what is written to it; undefined: this tab does not hold it.
  fence(key: string) {
    return this.held.get(key)?.fence
  }

  // Fails as the server does: with 423 and the holder where another device has it.
  async take(key: string, reason: Reason, force = false) {
    await this.register()
    const { fence } = await this.put(key, force)
    const held = this.held.get(key) ?? { fence, reasons: new Set(), timer: 0, isSeen: false }
    held.fence = fence
    held.reasons.add(reason)
    this.held.set(key, held)
    this.renewLater(key, held, RENEW_MS)
    if (reason === 'keep') this.kept.value = new Set([...this.kept.peek(), key])
    this.look(key, held) // the stream may have told meanwhile that another has it
  }

  private renewLater(key: string, held: Held, ms: number) {
    clearTimeout(held.timer)
    held.timer = window.setTimeout(() => void this.renew(key, held), ms)
  }

  private async renew(key: string, held: Held) {
    try {
      await this.onRenew(key, () => this.put(key, false))
      if (this.held.get(key) === held) this.renewLater(key, held, RENEW_MS)
    } catch (failure) {
      if (this.held.get(key) !== held) return
      if (isAway(failure)) return this.renewLater(key, held, AGAIN_MS)
      this.forget(key)
      this.onLost(key, failure instanceof Locked ? failure.holder : '')
    }
  }

  // What the stream says of it: another has it, or it is over.
  private look(key: string, held: Held) {
    const lock = this.model.object(key)?.lock
    if (lock?.fence === held.fence) held.isSeen = true
    else if (lock ? lock.fence > held.fence : held.isSeen) {
      this.forget(key)
      if (lock) this.onLost(key, lock.holder)
      else void this.holderOf(key).then(holder => this.onLost(key, holder))
    }
  }

  // A lock that is taken over is released first: the stream may show that, and what follows later.
  private holderOf(key: string) {
    const asked = askJson<{ objects: Thing[] }>('GET', path`/v1/scene/${this.model.scene}/object/${key}`)
    return asked.then(({ objects }) => objects[0]?.lock?.holder ?? '', () => '')
  }

  private forget(key: string) {
    const held = this.held.get(key)
    if (held) clearTimeout(held.timer)
    this.held.delete(key)
    if (this.kept.peek().has(key)) this.kept.value = new Set([...this.kept.peek()].filter(one => one !== key))
  }

  // Ends it for one reason, or for all; the server hears of it with the last.
  async end(key: string, reason?: Reason) {
    const held = this.held.get(key)
    if (!held) return
    if (reason) held.reasons.delete(reason)
    if (reason && held.reasons.size) return
    this.forget(key)
    await this.onRenew(key, () => ask('DELETE', `${this.at(key)}?device=${this.device}`).catch(() => {}))
  }

  // Tells the holder that somebody here would like to have it.
  askFor(key: string) {
    const name = session.peek()?.user?.username
    return ask('POST', `${this.at(key)}/ask`, { body: { device: this.device, message: name ? `${name} would like to edit it.` : '' } })
  }
}
