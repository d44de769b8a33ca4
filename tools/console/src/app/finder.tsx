// Ctrl K: one field from which one goes to any screen, scene, asset, or thing of the scene that is open.
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { askJson } from '../api/http'
import { readScenes } from '../api/scenes'
import type { Asset } from '../api/types'
import { Dialog } from '../ui/dialog'
import { Icon } from '../ui/icon'
import { page } from '../ui/use_list'
import { entries } from './entries'
import { go, href } from './router'

export interface Found {
  kind: string
  title: string
  key: string
  go: () => void
}

export const isFinding = signal(false)
export const here = signal<(() => Found[]) | null>(null) // what the open screen has besides

const MOST = 40

async function readAll(signal: AbortSignal): Promise<Found[]> {
  const [scenes, assets] = await Promise.all([readScenes(0, signal), askJson<Asset[]>('GET', `/v1/asset?limit=${page}`, { signal })])
  return [
    ...scenes.map(({ key, name }) => ({ kind: 'scene', title: name || key, key, go: () => go(href('scene', key)) })),
    ...assets.map(({ key, name }) => ({ kind: 'asset', title: name || key, key, go: () => go(href('assets', key)) })),
  ]
}

// Those whose words fit, the beginning of a title first.
export function fitting(all: Found[], typed: string): Found[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const fits = all.filter(({ kind, title, key }) => words.every(word => `${kind} ${title} ${key}`.toLowerCase().includes(word)))
  const rank = ({ title }: Found) => (words[0] && title.toLowerCase().startsWith(words[0]) ? 0 : 1)
  return fits.sort((a, b) => rank(a) - rank(b)).slice(0, MOST)
}

export function Finder() {
  return isFinding.value ? <Open /> : null
}

function Open() {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const [records, setRecords] = useState<Found[]>([])
  const list = useRef<HTMLUListElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const close = () => (isFinding.value = false)
  useLayoutEffect(() => input.current?.focus(), [])
  useEffect(() => {
    const stop = new AbortController()
    readAll(stop.signal).then(setRecords, () => {}) // screens are found without the server
    return () => stop.abort()
  }, [])
  const screens = entries.map(({ screen, title }) => ({ kind: 'screen', title, key: screen, go: () => go(href(screen)) }))
  const shown = fitting([...screens, ...(here.value?.() ?? []), ...records], typed)
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at])

  function take(found: Found | undefined) {
    if (!found) return
    close()
    found.go()
  }
  function onKey(event: KeyboardEvent) {
    if (event.key === 'ArrowDown') setAt(Math.min(shown.length - 1, at + 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1))
    else if (event.key === 'Enter') take(shown[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" onClose={close}>
      <div class="finder">
        <label class="search">
          <Icon name="search" size={16} />
          <input type="text" role="combobox" aria-label="Go to" aria-expanded="true" aria-controls="finder-list" aria-autocomplete="list" autocomplete="off" spellcheck={false}
            aria-activedescendant={shown[at] ? `finder-${at}` : undefined} placeholder="A screen, a scene, an asset" value={typed} ref={input}
            onKeyDown={onKey} onInput={event => (setTyped(event.currentTarget.value), setAt(0))} />
        </label>
        <ul role="listbox" id="finder-list" aria-label="Found" ref={list}>
          {shown.map((found, i) => (
            <li key={`${found.kind} ${found.key}`} id={`finder-${i}`} role="option" aria-selected={i === at} onClick={() => take(found)} onPointerMove={() => setAt(i)}>
              <span class="tree-name">{found.title}</span>
              <span class="tag">{found.kind}</span>
            </li>
          ))}
          {shown.length === 0 && (
            <li role="option" aria-selected="false" aria-disabled="true" class="faint">
              Nothing fits
            </li>
          )}
        </ul>
      </div>
    </Dialog>
  )
}
