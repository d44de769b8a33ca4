// A thing as the server has it, and the line that asks for it.
import { useState } from 'preact/hooks'
import { askJson, path } from '../api/http'
import type { Entry } from '../live/protocol'
import { Command } from '../ui/command'
import { asked } from './convention'
import type { SceneModel } from './model'

export function Raw({ model, entry }: { model: SceneModel; entry: Entry }) {
  const [text, setText] = useState('')
  if (entry.kind === 'device') return null
  const axes = asked()
  const at = `${path`/v1/scene/${model.scene}/${entry.kind}/${entry.key}`}${axes && '?' + axes}`
  function look(event: { currentTarget: HTMLDetailsElement }) {
    if (!event.currentTarget.open) return
    askJson<unknown>('GET', at).then(
      body => setText(JSON.stringify(body, null, 2)),
      failure => setText(String((failure as Error).message)),
    )
  }
  return (
    <details class="events" onToggle={look}>
      <summary>JSON</summary>
      <pre class="code raw" tabIndex={0} aria-label="JSON">
        {text}
      </pre>
      <Command line={`curl -sS '${location.origin}${at}'`} />
    </details>
  )
}
