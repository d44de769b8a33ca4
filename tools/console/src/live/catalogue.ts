// Which scenes and assets there are, as the server tells it: for all tabs by one stream. Runs in the
// worker.
import type { StreamComment, StreamEvent } from 'diorama-client/packets'
import type { Asset, Scene } from '../api/types'
import { follow } from './follow'
import type { Listed, Topic } from './protocol'

const TOGETHER_MS = 100 // what comes within it is told together

interface Change {
  msg_type: number
  record?: Scene | Asset
  scene?: string // the key of a scene, or
  asset?: string // of an asset
}

const DELETED = [42, 52]

function nothing(topic: Topic): Listed {
  return { topic, reset: false, changes: [] }
}

export class Catalogue {
  readonly listeners = new Set<(listed: Listed) => void>()
  private pending = { scenes: nothing('scenes'), assets: nothing('assets') }
  private timer: ReturnType<typeof setTimeout> | undefined
  private follower = follow({
    path: '/v1/events',
    query: { topic: Object.keys(this.pending) },
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
    if (part.event === 'reset') {
      const { topic } = part.data as { topic: Topic }
      this.pending[topic] = { topic, reset: true, changes: [] }
    } else {
      const { msg_type: type, scene, asset, record = null } = part.data as unknown as Change
      const { changes } = this.pending[asset === undefined ? 'scenes' : 'assets']
      changes.push({ key: (asset ?? scene)!, record: DELETED.includes(type) ? null : record })
    }
    this.timer ??= setTimeout(() => this.tell(), TOGETHER_MS)
  }

  private tell() {
    this.timer = undefined
    for (const listed of Object.values(this.pending)) {
      if (!listed.reset && !listed.changes.length) continue
      this.pending[listed.topic] = nothing(listed.topic)
      for (const listener of this.listeners) listener(listed)
    }
  }
}
