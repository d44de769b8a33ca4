// Which scenes there are, as the server tells it: for all tabs by one stream. Runs in the worker.
import type { Scene } from '../api/types'
import { Follower } from './follow'
import type { Listed } from './protocol'
import type { Sse } from './sse'

const TOGETHER_MS = 100 // what comes within it is told together

const DELETED = 42

export class Catalogue {
  readonly listeners = new Set<(listed: Listed) => void>()
  private last = ''
  private pending: Listed = { reset: false, changes: [] }
  private timer: ReturnType<typeof setTimeout> | undefined
  private follower = new Follower({
    path: () => '/v1/events?topic=scenes',
    headers: () => (this.last ? { 'Last-Event-ID': this.last } : ({} as Record<string, string>)),
    take: event => this.take(event),
    tell: () => {}, // lists say themselves why they are not there
  })

  constructor() {
    this.follower.begin()
  }

  end() {
    clearTimeout(this.timer)
    this.follower.end()
  }

  retry() {
    this.follower.retry()
  }

  private take({ event, id, data }: Sse) {
    if (event !== 'reset' && event !== 'change') return
    this.last = id
    if (event === 'reset') this.pending = { reset: true, changes: [] }
    else {
      const { msg_type: type, scene, record } = JSON.parse(data) as { msg_type: number; scene: string; record: Scene }
      this.pending.changes.push({ key: scene, scene: type === DELETED ? null : record })
    }
    this.timer ??= setTimeout(() => this.tell(), TOGETHER_MS)
  }

  private tell() {
    const { pending } = this
    this.timer = undefined
    this.pending = { reset: false, changes: [] }
    for (const listener of this.listeners) listener(pending)
  }
}
