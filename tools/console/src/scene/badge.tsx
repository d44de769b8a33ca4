// The state of the stream, as people read it: always a word, never colour alone.
import { useEffect, useState } from 'preact/hooks'
import type { SceneModel } from './model'

const words = {
  live: 'live',
  'catching up': 'catching up',
  behind: 'behind',
  reconnecting: 'reconnecting',
  'signed out': 'signed out',
  gone: 'gone',
  refused: 'no right',
}

export function StreamBadge({ model }: { model: SceneModel }) {
  const state = model.state.value
  const [, tick] = useState(0)
  const waits = state.word === 'reconnecting' && state.until !== undefined
  useEffect(() => {
    if (!waits) return
    const timer = setInterval(() => tick(count => count + 1), 500)
    return () => clearInterval(timer)
  }, [waits])
  const left = waits ? Math.max(0, Math.ceil((state.until! - Date.now()) / 1000)) : 0
  const title = `${state.changes} changes taken, the newest is number ${state.seq}; ${state.gaps} gaps`
  return (
    <span class={`stream ${state.word.replace(' ', '-')}`} title={title}>
      <span class="dot" aria-hidden="true" />
      <span role="status">{words[state.word] ?? state.word}</span>
      {left > 0 && <span class="count">{left} s</span>}
      {state.gaps > 0 && <span class="count">{state.gaps} gaps</span>}
      {waits && (
        <button class="link" onClick={() => model.retry()}>
          now
        </button>
      )}
    </span>
  )
}
