// Several things that are selected: what they have in common, and changes of all of them at once.
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Entry, POSE } from '../live/protocol'
import { Icon } from '../ui/icon'
import { countOf } from '../ui/units'
import { convention } from './convention'
import { type Edits, membersOf } from './edits'
import type { SceneModel } from './model'
import { anglesOf, readNumber, writeNumber } from './numbers'

const FOLLOW_MS = 200
const radians = (degrees: number) => (degrees * Math.PI) / 180

interface Member {
  label: string
  unit: string
  name: string
  isAngle?: boolean
  of: (pose: Float64Array) => number[]
}

const members: Member[] = [
  { label: 'Position', unit: 'm', name: 'translation', of: pose => [...pose.subarray(0, 3)] },
  { label: 'Rotation', unit: '°', name: 'euler_rotation', isAngle: true, of: pose => anglesOf(pose.subarray(3, 7)) },
  { label: 'Scale', unit: '', name: 'scale', of: pose => [...pose.subarray(7, POSE)] },
]

// What all have, or '' where they differ.
function common(values: number[], digits: number): string {
  const texts = new Set(values.map(value => writeNumber(value, digits)))
  return texts.size === 1 ? [...texts][0]! : ''
}

interface FieldProps {
  label: string
  axis: 'x' | 'y' | 'z'
  shown: string
  disabled: boolean
  commit: (text: string) => Promise<boolean> | null // null: it is no number
}

function Field({ label, axis, shown, disabled, commit }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null)
  const [isBad, setBad] = useState(false)
  const underWay = useRef<string | null>(null) // leaving the field must not write again what Enter does
  async function take() {
    if (typed === null || underWay.current === typed) return
    if (typed === shown) return setTyped(null)
    const work = commit(typed)
    setBad(work === null)
    if (!work) return
    underWay.current = typed
    if (await work) setTyped(now => (now === typed ? null : now))
    if (underWay.current === typed) underWay.current = null
  }
  function onKey(event: KeyboardEvent) {
    if (event.key === 'Enter') void take()
    else if (event.key === 'Escape') (setTyped(null), setBad(false))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <label class={isBad ? `number ${axis} wrong` : `number ${axis}`}>
      <span aria-hidden="true">{axis}</span>
      <input aria-label={`${label} ${axis} of all`} inputMode="decimal" placeholder="–" value={typed ?? shown} disabled={disabled} aria-invalid={isBad || undefined}
        title={isBad ? 'A number: 2, +0.5, *2, 90deg' : undefined} onInput={event => setTyped(event.currentTarget.value)} onBlur={() => void take()} onKeyDown={onKey} />
    </label>
  )
}

export function Several({ model, edits }: { model: SceneModel; edits: Edits }) {
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick(count => count + 1), FOLLOW_MS)
    return () => clearInterval(timer)
  }, [])
  const chosen = model.chosen.value.flatMap(name => model.entry(name) ?? [])
  const things = chosen.filter(entry => entry.kind === 'object')
  const poses = things.map(entry => model.newest(entry.index).slice())
  const isOff = edits.why.value !== '' || things.length === 0

  function change(member: Member, axis: number, text: string): Promise<boolean> | null {
    const changes = things.map((entry: Entry, i) => {
      const values = member.of(poses[i]!)
      const read = readNumber(text, values[axis]!, member.isAngle ? 'degrees' : 'plain')
      if (read === null) return null
      const next = values.map((value, j) => (j === axis ? read : value))
      return { key: entry.key, members: { [member.name]: member.isAngle ? next.map(radians) : next }, back: membersOf(poses[i]!) }
    })
    if (changes.includes(null)) return null
    return edits.writeAll(changes as NonNullable<(typeof changes)[number]>[])
  }

  return (
    <section class="panel-part" aria-label="Selection">
      <header class="selected">
        <h2>{countOf(chosen.length, 'thing')}</h2>
        <span class="tag">selected</span>
      </header>
      {edits.why.value && <p class="note">{edits.why.value}</p>}
      {members.map(member => (
        <fieldset key={member.name} class="numbers">
          <legend>
            {member.label} {member.unit && <span class="count">{member.unit}</span>}
          </legend>
          {(['x', 'y', 'z'] as const).map((axis, i) => (
            <Field key={axis} label={member.label} axis={axis} disabled={isOff} shown={common(poses.map(pose => member.of(pose)[i]!), member.isAngle ? 2 : 3)}
              commit={text => change(member, i, text)} />
          ))}
        </fieldset>
      ))}
      {convention.value !== 'gltf' && <p class="note">Numbers of several things are in the axes of glTF.</p>}
      <p class="note">– where they differ. +1 moves each by so much, 1 puts all there.</p>
      <button class="button danger" disabled={isOff} onClick={() => void edits.removeAll(things.map(entry => entry.key))}>
        <Icon name="trash" size={15} /> Delete {countOf(things.length, 'object')}
      </button>
    </section>
  )
}
