// What the server does and holds, as it tells it each second: for all tabs by one stream. Runs in the
// worker.
import type { StreamComment, StreamEvent } from 'diorama-client/packets'
import { follow } from './follow'
import type { Sample, Told } from './protocol'
import { appended, names, SECONDS } from './samples'

export class ServerStream {
  readonly listeners = new Set<(told: Told) => void>()
  private newest: Sample | null = null // with all seconds that are known
  private isFirst = true
  private follower = follow({
    path: '/v1/server/events',
    query: { names: names.join(','), seconds: SECONDS },
    take: part => this.take(part),
    broken: () => {
      this.isFirst = true
      this.tell({ isAway: true })
    },
  })

  // Who comes later is told what is known.
  add(listener: (told: Told) => void) {
    this.listeners.add(listener)
    if (this.newest) listener({ isFirst: true, sample: this.newest })
    this.follower.retry()
  }

  end() {
    this.follower.end()
  }

  // The first event of a stream has what was before it too: it takes the place of what is known.
  private take(part: StreamEvent | StreamComment) {
    if (!('event' in part) || part.event !== 'sample') return
    const sample = part.data as unknown as Sample
    this.newest = this.isFirst || !this.newest ? sample : appended(this.newest, sample)
    this.tell({ isFirst: this.isFirst, sample })
    this.isFirst = false
  }

  private tell(told: Told) {
    for (const listener of this.listeners) listener(told)
  }
}
