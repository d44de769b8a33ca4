// A place that takes files: they are dropped on it, or chosen.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Icon } from '../ui/icon'
import { forget, uploads } from './upload'

export function DropPlace(props: { words: string; take: (files: File[], event: DragEvent) => void; children: ComponentChildren }) {
  const [over, setOver] = useState(0)
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files')
  return (
    <div class={over > 0 ? 'drop over' : 'drop'}
      onDragEnter={event => hasFiles(event) && setOver(over + 1)}
      onDragLeave={event => hasFiles(event) && setOver(Math.max(0, over - 1))}
      onDragOver={event => hasFiles(event) && event.preventDefault()}
      onDrop={event => {
        setOver(0)
        if (!event.dataTransfer?.files.length) return
        event.preventDefault()
        props.take([...event.dataTransfer.files], event)
      }}>
      {props.children}
      {over > 0 && (
        <div class="drop-sign">
          <Icon name="upload" size={28} />
          {props.words}
        </div>
      )}
    </div>
  )
}

export function Uploads() {
  if (uploads.value.length === 0) return null
  return (
    <ul class="uploads" aria-label="Uploads" aria-live="polite">
      {uploads.value.map(upload => (
        <li key={upload.id} class={upload.failure ? 'bad' : ''}>
          <span class="tree-name">{upload.name}</span>
          {upload.failure ? (
            <>
              <span>{upload.failure}</span>
              <button class="quiet" aria-label={`Forget ${upload.name}`} onClick={() => forget(upload.id)}>
                <Icon name="close" size={14} />
              </button>
            </>
          ) : (
            <progress value={upload.part} max={1} aria-label={upload.name} />
          )}
        </li>
      ))}
    </ul>
  )
}
