// The last minutes of a scene, as far as this tab saw them: a line of time with what happened when.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../ui/icon'
import type { SceneModel } from '../model'

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64]
const BARS = 100
const LEAST_MS = 20_000 // that the line stands for
const EACH_MS = 1000
const STEP_MS = 100
const PAGE_MS = 5000

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })
const timeOf = (at: number) => clock.format(performance.timeOrigin + at)

function agoOf(ms: number): string {
  const seconds = Math.max(0, ms / 1000)
  return seconds < 60 ? `${seconds.toFixed(1)} s ago` : `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s ago`
}

// Higher is more, but one change is seen beside a thousand.
function pathOf(counts: number[]): string {
  const most = Math.log1p(Math.max(...counts, 1))
  return counts.map((count, i) => (count ? `M${i} 20v${(-2 - (16 * Math.log1p(count)) / most).toFixed(1)}h.8V20z` : '')).join('')
}

// Goes on from where one is, at a speed, until it is the present.
function usePlaying(model: SceneModel, isPlaying: boolean, speed: number, stop: () => void) {
  useEffect(() => {
    if (!isPlaying) return
    let frame = 0
    let last = performance.now()
    const step = (now: number) => {
      const past = model.past.peek()
      if (past === null) return stop()
      const next = past + Math.max(0, now - last) * speed
      last = now
      if (next >= now - STEP_MS) {
        model.look(null)
        return stop()
      }
      model.look(next)
      frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [model, isPlaying, speed])
}

export function Scrubber({ model }: { model: SceneModel }) {
  const past = model.past.value
  const [speed, setSpeed] = useState(1)
  const [isPlaying, setPlaying] = useState(false)
  const [now, setNow] = useState(() => performance.now())
  const range = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const timer = setInterval(() => {
      model.record()
      if (!document.hidden) setNow(performance.now())
    }, EACH_MS)
    return () => clearInterval(timer)
  }, [model])
  usePlaying(model, isPlaying, speed, () => setPlaying(false))

  const { tape } = model
  const from = Math.min(tape.from || now, now - LEAST_MS)
  const counts = tape.histogram(from, now, BARS)
  const shown = past ?? now

  function look(at: number) {
    const isNow = at >= performance.now() - STEP_MS
    if (isNow) setPlaying(false)
    model.look(isNow ? null : at)
  }
  function toggle() {
    if (past === null) model.look(performance.now())
    else setPlaying(!isPlaying)
  }
  function onKey(event: KeyboardEvent) {
    const by = { ArrowLeft: -1000, ArrowRight: 1000, PageDown: -PAGE_MS, PageUp: PAGE_MS }[event.key]
    if (event.key === 'Home') look(from)
    else if (event.key === 'End' || event.key === 'Escape') look(Infinity)
    else if (event.key === ' ') toggle()
    else if (by) look((model.past.peek() ?? performance.now()) + by)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div class={past === null ? 'scrubber' : 'scrubber past'} role="group" aria-label="What this tab saw">
      <button class="tool" aria-label={past === null ? 'Hold' : isPlaying ? 'Pause' : 'Play'} title={past === null ? 'Hold the picture' : isPlaying ? 'Pause' : 'Play'} onClick={toggle}>
        <Icon name={past === null || isPlaying ? 'pause' : 'play'} size={16} />
      </button>
      <select class="scrub-speed" aria-label="Speed" value={String(speed)} onChange={event => setSpeed(Number(event.currentTarget.value))}>
        {SPEEDS.map(each => (
          <option key={each} value={String(each)}>
            ×{each}
          </option>
        ))}
      </select>
      <div class="scrub-line">
        <svg viewBox={`0 0 ${BARS} 20`} preserveAspectRatio="none" aria-hidden="true">
          <path d={pathOf(counts)} />
        </svg>
        <input ref={range} type="range" aria-label="Time" min={from} max={now} step="any" value={shown} aria-valuetext={past === null ? 'live' : `${timeOf(past)}, ${agoOf(now - past)}`}
          onInput={event => look(Number(event.currentTarget.value))} onKeyDown={onKey} />
      </div>
      <time class="scrub-time">{past === null ? timeOf(now) : agoOf(now - past)}</time>
      <button class="scrub-live" aria-pressed={past === null} title="The present" onClick={() => look(Infinity)}>
        Live
      </button>
      {past !== null && (
        <p class="scrub-news" role="status">
          The past: {timeOf(past)}
        </p>
      )}
    </div>
  )
}
