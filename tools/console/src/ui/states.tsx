// What a screen shows while there is nothing to show, and why.
import { ApiError } from 'diorama-client'
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { isAway, statusOf } from '../api/http'
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

export function Refused({ failure, what, again }: { failure: Error; what: string; again?: () => void }) {
  const [title, words] = explain(failure, what)
  return (
    <Empty icon={statusOf(failure) === 403 ? 'lock' : 'info'} title={title}>
      <p>{words}</p>
      {again && statusOf(failure) !== 404 && (
        <button class="button" onClick={again}>
          Try again
        </button>
      )}
    </Empty>
  )
}

function explain(failure: Error, what: string): [string, string] {
  if (isAway(failure)) return ['The server does not answer', 'It is tried again by itself.']
  if (!(failure instanceof ApiError)) return ['The console failed', String(failure)]
  const { status, title, detail } = failure
  if (status === 403) return [`You may not see ${what}`, detail || 'Ask its owner for access.']
  if (status === 404)
    return [`There is no such thing here`, `Nothing is kept under ${what}, or it is private and not yours.`]
  return [title || `Refused (${status})`, detail]
}
