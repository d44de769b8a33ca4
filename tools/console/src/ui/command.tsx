// A line for a terminal, and a button that copies it.
import { useRef } from 'preact/hooks'
import { say } from './toast'

export function Command({ line }: { line: string }) {
  const words = useRef<HTMLPreElement>(null)
  async function copy() {
    try {
      await navigator.clipboard.writeText(line)
      say('Copied')
    } catch {
      getSelection()?.selectAllChildren(words.current!) // no clipboard without HTTPS
      say('Press Ctrl C to copy it')
    }
  }
  return (
    <div class="command">
      <pre class="code" ref={words} tabIndex={0} aria-label="Line for a terminal">
        {line}
      </pre>
      <button class="button" aria-label={`Copy ${line}`} onClick={() => void copy()}>
        Copy
      </button>
    </div>
  )
}
