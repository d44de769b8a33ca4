// Keys that work on every screen, and the list of all keys.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Dialog } from '../ui/dialog'
import { entries } from './entries'
import { isFinding } from './finder'
import { go, href, place } from './router'

const isHelping = signal(false)
const AFTER_G_MS = 1500

const anywhere: [string, string][] = [
  ['Ctrl K', 'go to anything'],
  ...entries.map(({ key, title }): [string, string] => [`g ${key}`, title.toLowerCase()]),
  ['/', 'filter'],
  ['j k', 'next, previous row'],
  ['F6', 'next region, with Shift the one before'],
  ['?', 'these keys'],
]
const inScene: [string, string][] = [
  ['V G R S', 'select, move, rotate, scale'],
  ['G x 2 Enter', 'move exactly: a tool, an axis, a number'],
  ['Esc', 'put back, select nothing'],
  ['Ctrl Z', 'undo'],
  ['F', 'look at the selection, or at all'],
  ['Shift F', 'follow the selection'],
  ['7 1 3', 'from above, the front, the right'],
  ['n', 'select the next thing in view, with Shift the one before'],
  ['H', 'hide the selection, with Shift show all'],
  ['I', 'show the selection alone, or all again'],
  ['M', 'measure: two clicks, or two selected things'],
  ['A', 'neighbouring scenes, as alignment places them'],
  ['Ctrl', 'while dragging: steps of 0.1 m and 15°'],
  ['arrows + −', 'turn, with Shift move; nearer, farther'],
]

const regions = ['.bar', '.rail', '.panel.left', '.stage', '.map-field', '.panel.right', '.map-list', '.page']
const focusable = 'a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex="0"]'

function cycle(by: number) {
  const found = regions.flatMap(region => [...document.querySelectorAll<HTMLElement>(region)]).filter(region => region.offsetParent !== null || region.matches('.bar'))
  const at = found.findIndex(region => region.contains(document.activeElement))
  const next = found[(at + by + found.length) % found.length]
  next?.querySelector<HTMLElement>(`canvas, ${focusable}`)?.focus()
}

function step(by: number) {
  const rows = [...document.querySelectorAll<HTMLElement>('main :is(.row-link, .asset, .map-row, .align-row)')]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus()
}

export function useKeys() {
  useEffect(() => {
    let afterG = -Infinity
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return
      const key = event.key.toLowerCase()
      if ((event.ctrlKey || event.metaKey) && key === 'k') isFinding.value = !document.querySelector('dialog[open]')
      else if (key === 'f6') cycle(event.shiftKey ? -1 : 1)
      else if (event.ctrlKey || event.metaKey || event.altKey || (event.target as HTMLElement).closest('input:not([type=range]), textarea, select, dialog')) return
      else if (event.timeStamp - afterG < AFTER_G_MS && entries.some(entry => entry.key === key)) {
        afterG = -Infinity
        go(href(entries.find(entry => entry.key === key)!.screen))
      } else if (key === 'g' && place.peek().screen !== 'scene') afterG = event.timeStamp // in a scene it moves things
      else if (key === '?') isHelping.value = true
      else if (key === '/') document.querySelector<HTMLElement>('main [type=search], main [role=combobox]')?.focus()
      else if (key === 'j' || key === 'k') step(key === 'j' ? 1 : -1)
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function Keys({ title, keys }: { title: string; keys: [string, string][] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="keys">
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

export function Help() {
  if (!isHelping.value) return null
  return (
    <Dialog title="Keys" onClose={() => (isHelping.value = false)}>
      <div class="key-lists" tabIndex={0} role="region" aria-label="Keys">
        <Keys title="Everywhere" keys={anywhere} />
        <Keys title="In a scene" keys={inScene} />
      </div>
    </Dialog>
  )
}
