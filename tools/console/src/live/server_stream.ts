// What the server does and holds, as it tells it each second: for all tabs by one stream. Runs in the
// worker.
import { Follower } from './follow'
import type { Sample, Told } from './protocol'
import { appended, names, SECONDS } from './samples'
import type { Sse } from './sse'

export class ServerStream {
  readonly listeners = new Set<(told: Told) => void>()
  private newest: Sample | null = null // with all seconds that are known
  private isFirst = true
  private follower = new Follower({
    path: () => {
      this.isFirst = true
      return `/v1/server/events?names=${names.join(',')}&seconds=${SECONDS}`
    },
    take: event => this.take(event),
    tell: () => this.tell({ isAway: true }),
  })

  constructor() {
    this.follower.begin()
  }

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
  private take({ event, data }: Sse) {
    if (event !== 'sample') return
    const sample = JSON.parse(data) as Sample
    this.newest = this.isFirst || !this.newest ? sample : appended(this.newest, sample)
    this.tell({ isFirst: this.isFirst, sample })
    this.isFirst = false
  }

  private tell(told: Told) {
    for (const listener of this.listeners) listener(told)
  }
}
