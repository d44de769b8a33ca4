// Which scenes there are, as the server tells it: for all tabs by one stream. Runs in the worker.
import type { StreamComment, StreamEvent } from 'diorama-client/packets'
import type { Scene } from '../api/types'
import { follow } from './follow'
import type { Listed } from './protocol'

const TOGETHER_MS = 100 // what comes within it is told together

const DELETED = 42

export class Catalogue {
  readonly listeners = new Set<(listed: Listed) => void>()
  private pending: Listed = { reset: false, changes: [] }
  private timer: ReturnType<typeof setTimeout> | undefined
  private follower = follow({
    path: '/v1/events',
    query: { topic: 'scenes' },
    take: part => this.take(part),
    broken: () => {}, // lists say themselves why they are not there
  })

  end() {
    clearTimeout(this.timer)
    this.follower.end()
  }

  retry() {
    this.follower.retry()
  }

  private take(part: StreamEvent | StreamComment) {
    if (!('event' in part) || (part.event !== 'reset' && part.event !== 'change')) return
    if (part.event === 'reset') this.pending = { reset: true, changes: [] }
    else {
      const { msg_type: type, scene, record } = part.data as { msg_type: number; scene: string; record: Scene }
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
