// What this page saw happen to a thing, or in the scene.
import { useMemo, useState } from 'preact/hooks'
import type { Entry } from '../live/protocol'
import type { SceneModel } from './model'

const SHOWN = 30
const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

export function Events({ model, of }: { model: SceneModel; of?: Entry }) {
  const [isOpen, setOpen] = useState(false)
  const { news, past } = model
  const until = past.value === null ? Infinity : performance.timeOrigin + past.value
  const most = isOpen ? SHOWN : 1 // whether there is one
  const found = useMemo(() => model.log.newest(most, until, index => model.entries.get(index)?.key, of), [model, news.value, until, most, of?.index])
  if (found.length === 0) return null
  return (
    <details class="events" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Events seen here</summary>
      <ol>
        {isOpen &&
          found.map((event, i) => (
            <li key={i}>
              <span class="mono">{event.seq}</span> {event.what}
              {!of && <span class="tree-name"> {model.object(event.key)?.name || event.key}</span>}
              <time>{time.format(event.at)}</time>
            </li>
          ))}
      </ol>
    </details>
  )
}
