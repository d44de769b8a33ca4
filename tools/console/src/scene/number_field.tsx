// A number of three that people read and change: typed, or stepped by arrows.
import { useRef, useState } from 'preact/hooks'
import { faultAt } from '../ui/field'
import type { Edits } from './edits'
import { readNumber, writeNumber } from './numbers'

interface NumberProps {
  label: string
  axis: 'x' | 'y' | 'z'
  value: number
  unit: 'plain' | 'degrees'
  disabled: boolean
  wrong: string
  onChange: (value: number) => Promise<boolean>
}

function NumberField({ label, axis, value, unit, disabled, wrong, onChange }: NumberProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const [bad, setBad] = useState(false)
  const underWay = useRef<string | null>(null) // leaving the field must not write again what Enter does
  const shown = typed ?? writeNumber(value, unit === 'degrees' ? 2 : 3)

  async function commit() {
    if (typed === null || underWay.current === typed) return
    const read = readNumber(typed, value, unit)
    if (read === null) return setBad(true)
    setBad(false)
    underWay.current = typed
    if (read === value || (await onChange(read))) setTyped(now => (now === typed ? null : now))
    if (underWay.current === typed) underWay.current = null
  }

  function onKey(event: KeyboardEvent) {
    if (event.key === 'Enter') void commit()
    else if (event.key === 'Escape') (setTyped(null), setBad(false))
    else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const step = (event.shiftKey ? 0.1 : 0.01) * (unit === 'degrees' ? 100 : 1) * (event.key === 'ArrowUp' ? 1 : -1)
      void onChange(value + step)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <label class={bad || wrong ? `number ${axis} wrong` : `number ${axis}`}>
      <span aria-hidden="true">{axis}</span>
      <input aria-label={`${label} ${axis}`} inputMode="decimal" value={shown} disabled={disabled} aria-invalid={bad || !!wrong || undefined}
        title={wrong || (bad ? 'A number: 2, +0.5, *2, 90deg' : undefined)} onInput={event => setTyped(event.currentTarget.value)} onBlur={() => void commit()}
        onKeyDown={onKey} onFocus={event => event.currentTarget.select()} />
    </label>
  )
}

export function Numbers(props: {
  label: string
  member: string
  unit?: string
  values: number[]
  kind?: 'plain' | 'degrees'
  edits: Edits | null
  write: (values: number[]) => Promise<boolean>
}) {
  const wrong = faultAt(props.edits?.refused.value, '/' + props.member)
  // What was written over these values is not seen yet: the next axis must not put it back.
  const wrote = useRef<{ over: string; values: number[] } | null>(null)
  const over = props.values.join()
  if (wrote.current?.over !== over) wrote.current = null

  async function change(i: number, value: number) {
    const before = wrote.current?.values ?? props.values
    const mine = { over, values: before.map((old, j) => (i === j ? value : old)) }
    wrote.current = mine
    const isTaken = await props.write(mine.values)
    if (!isTaken && wrote.current === mine) wrote.current = null
    return isTaken
  }
  return (
    <fieldset class="numbers">
      <legend>
        {props.label} {props.unit && <span class="count">{props.unit}</span>}
      </legend>
      {(['x', 'y', 'z'] as const).map((axis, i) => (
        <NumberField key={axis} label={props.label} axis={axis} value={props.values[i]!} unit={props.kind ?? 'plain'} disabled={!props.edits}
          wrong={wrong} onChange={value => change(i, value)} />
      ))}
      {wrong && (
        <p class="refusal" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  )
}
