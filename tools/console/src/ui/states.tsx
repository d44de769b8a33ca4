// What a screen shows while there is nothing to show, and why.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Problem } from '../api/http'
import { Icon, type IconName } from './icon'

// Appears after 150 ms only, so that quick answers do not flicker.
export function Loading({ what, rows = 6 }: { what: string; rows?: number }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150)
    return () => clearTimeout(timer)
  }, [])
  if (!late) return null
  return (
    <div class="skeleton" role="status" aria-label={`Loading ${what}`}>
      {Array.from({ length: rows }, (_, i) => (
        <div class="bone" key={i} />
      ))}
    </div>
  )
}

export function Empty(props: { icon: IconName; title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <div class="empty-icon">
        <Icon name={props.icon} size={30} />
      </div>
      <h2>{props.title}</h2>
      {props.children}
    </div>
  )
}

export function Refused({ failure, what, again }: { failure: Problem; what: string; again?: () => void }) {
  const [title, words] = explain(failure, what)
  return (
    <Empty icon={failure.status === 403 ? 'lock' : 'info'} title={title}>
      <p>{words}</p>
      {again && failure.status !== 404 && (
        <button class="button" onClick={again}>
          Try again
        </button>
      )}
    </Empty>
  )
}

function explain(failure: Problem, what: string): [string, string] {
  if (failure.isAway) return ['The server does not answer', 'It is tried again by itself.']
  if (failure.status === 403) return [`You may not see ${what}`, failure.detail || 'Ask its owner for access.']
  if (failure.status === 404)
    return [`There is no such thing here`, `Nothing is kept under ${what}, or it is private and not yours.`]
  return [failure.title || `Refused (${failure.status})`, failure.detail]
}
