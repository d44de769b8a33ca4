// A field that finds one of many by typing: a combobox with a list below it.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon } from './icon'

export interface Choice {
  key: string
  title: string
}

interface ComboProps {
  label: string
  choices: Choice[]
  chosen: string
  take: (key: string) => void
}

const MOST = 50

export function Combo({ label, choices, chosen, take }: ComboProps) {
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null) // null: closed
  const [at, setAt] = useState(0)
  const box = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const words = (typed ?? '').toLowerCase().split(/\s+/).filter(Boolean)
  const fitting = typed === null ? [] : choices.filter(({ key, title }) => words.every(word => `${key} ${title}`.toLowerCase().includes(word))).slice(0, MOST)
  const isOpen = typed !== null
  const title = choices.find(choice => choice.key === chosen)?.title ?? chosen

  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [at, isOpen])
  useEffect(() => {
    if (!isOpen) return
    const close = (event: Event) => box.current?.contains(event.target as Node) || setTyped(null)
    document.addEventListener('pointerdown', close)
    return () => document.removeEventListener('pointerdown', close)
  }, [isOpen])

  function open() {
    if (isOpen) return
    setTyped('')
    setAt(Math.max(0, choices.slice(0, MOST).findIndex(choice => choice.key === chosen)))
  }

  function choose(key: string | undefined) {
    setTyped(null)
    if (key !== undefined && key !== chosen) take(key)
  }

  function onKey(event: KeyboardEvent) {
    const last = fitting.length - 1
    if (event.key === 'ArrowDown') isOpen ? setAt(Math.min(last, at + 1)) : open()
    else if (event.key === 'ArrowUp') isOpen ? setAt(Math.max(0, at - 1)) : open()
    else if (event.key === 'Enter' && isOpen) choose(fitting[at]?.key)
    else if (event.key === 'Escape' && isOpen) setTyped(null)
    else {
      if (event.key === 'Tab') setTyped(null)
      return
    }
    event.preventDefault()
  }

  return (
    <div class="combo" ref={box}>
      <label class="search">
        <Icon name="search" size={16} />
        <input type="text" role="combobox" aria-label={label} aria-expanded={isOpen} aria-controls={`${id}-list`} aria-autocomplete="list"
          aria-activedescendant={isOpen && fitting[at] ? `${id}-${at}` : undefined} autocomplete="off" spellcheck={false} placeholder={title || 'Find a scene'}
          value={typed ?? title} onClick={open} onKeyDown={onKey} onInput={event => (setTyped(event.currentTarget.value), setAt(0))} />
        <Icon name="down" size={14} />
      </label>
      <ul class="combo-list" role="listbox" id={`${id}-list`} aria-label={label} hidden={!isOpen} ref={list}>
        {fitting.map((choice, i) => (
          <li key={choice.key} id={`${id}-${i}`} role="option" aria-selected={i === at} onPointerDown={event => (event.preventDefault(), choose(choice.key))}>
            <span>{choice.title}</span>
            {choice.title !== choice.key && <span class="mono faint">{choice.key}</span>}
          </li>
        ))}
        {isOpen && fitting.length === 0 && (
          <li role="option" aria-selected="false" aria-disabled="true" class="faint">
            No scene fits
          </li>
        )}
      </ul>
    </div>
  )
}
