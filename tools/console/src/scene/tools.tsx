// The tools above the view: what they are, what they do, and how they are shown.
import { useComputed } from '@preact/signals'
import { useLayoutEffect, useState } from 'preact/hooks'
import { refusalOf } from '../api/http'
import { Icon, type IconName } from '../ui/icon'
import { say } from '../ui/toast'
import { convention, conventions } from './convention'
import { type Edits, membersOf } from './edits'
import { type Exact, moved, wordsOf } from './exact'
import type { SceneModel } from './model'
import type { GizmoMode } from './view/gizmo'
import type { View } from './view/view'

export const modes: { mode: GizmoMode; title: string; icon: IconName; key: string }[] = [
  { mode: 'select', title: 'Select', icon: 'select', key: 'V' },
  { mode: 'translate', title: 'Move', icon: 'move', key: 'G' },
  { mode: 'rotate', title: 'Rotate', icon: 'rotate', key: 'R' },
  { mode: 'scale', title: 'Scale', icon: 'scale', key: 'S' },
]

const members = { translate: 'translation', rotate: 'quaternion_rotation', scale: 'scale' }

export interface ToolSet {
  model: SceneModel
  edits: Edits
  view: View | null
  mode: GizmoMode
  setMode: (mode: GizmoMode) => void
  exact: Exact | null
  setExact: (exact: Exact | null) => void
  measures: boolean
  neighbours: boolean
  frame: () => void
  follow: () => void
  hide: () => void
  showAll: () => void
  isolate: () => void
  measure: (isOn: boolean) => void
  showNeighbours: (isShown: boolean) => void
  moveExactly: () => void
}

export function useTools(model: SceneModel, edits: Edits, view: View | null, mode: GizmoMode, setMode: (mode: GizmoMode) => void): ToolSet {
  const [exact, setExact] = useState<Exact | null>(null)
  const [measures, setMeasures] = useState(false)
  const [neighbours, setNeighbours] = useState(false)
  const indexes = () => model.chosen.peek().flatMap(name => model.entry(name)?.index ?? [])
  useLayoutEffect(() => setExact(null), [model.selected.value]) // before the next key: what it types stays

  function showNeighbours(isShown: boolean) {
    setNeighbours(isShown)
    view?.showNeighbours(isShown).then(
      count => isShown && count === 0 && say('No scene is linked with this one yet.'),
      failure => (setNeighbours(false), say(refusalOf(failure), true)),
    )
  }
  function isolate() {
    const only = new Set(indexes())
    const isAlone = model.hidden.peek().size > 0
    model.hidden.value = new Set(isAlone || !only.size ? [] : [...model.entries.keys()].filter(index => !only.has(index)))
  }
  function moveExactly() {
    const entry = model.entry(model.selected.peek())
    if (!exact || entry?.kind !== 'object') return
    const pose = model.newest(entry.index).slice()
    const next = moved(exact, pose, conventions[convention.peek()]!)
    setExact(null)
    const member = members[exact.act] // alone: of the others this tab may not know the newest yet
    const part = (pose: Float64Array) => ({ [member]: membersOf(pose)[member] })
    if (next) void edits.write(entry.key, part(next), part(pose))
  }
  return {
    model, edits, view, mode, setMode, exact, setExact, measures, neighbours, isolate, moveExactly, showNeighbours,
    frame: () => (view?.follow(undefined), view?.frameAll(model.entry(model.selected.peek()))),
    follow: () => view?.follow(model.entry(model.selected.peek())),
    hide: () => (model.hidden.value = new Set([...model.hidden.peek(), ...indexes()])),
    showAll: () => (model.hidden.value = new Set()),
    measure: isOn => (setMeasures(isOn), view?.measure(isOn)),
  }
}

function Tool(props: { title: string; icon: IconName; pressed?: boolean; disabled?: boolean; act: () => void }) {
  return (
    <button class="tool" aria-label={props.title} title={props.title} aria-pressed={props.pressed} disabled={props.disabled} onClick={props.act}>
      <Icon name={props.icon} />
    </button>
  )
}

export function Tools(tools: ToolSet) {
  const { model, edits, view } = tools
  const { steps, why } = edits
  const hidden = useComputed(() => model.hidden.value.size)
  return (
    <>
      <div class="stage-tools" role="toolbar" aria-label="Tools">
        {view && modes.map(({ mode, title, icon, key }) => (
          <Tool key={mode} title={`${title} (${key})`} icon={icon} pressed={tools.mode === mode} disabled={why.value !== '' && mode !== 'select'} act={() => tools.setMode(mode)} />
        ))}
        {view && <Tool title="Show all, or what is selected (F)" icon="frame" act={tools.frame} />}
        {view && <Tool title="Measure (M)" icon="ruler" pressed={tools.measures} act={() => tools.measure(!tools.measures)} />}
        {view && <Tool title="Neighbouring scenes (A)" icon="alignment" pressed={tools.neighbours} act={() => tools.showNeighbours(!tools.neighbours)} />}
        <Tool title="Undo (Ctrl Z)" icon="undo" disabled={steps.value.length === 0 || why.value !== ''} act={() => void edits.undo()} />
        {hidden.value > 0 && (
          <button class="tool-words" onClick={tools.showAll} title="Show all (Shift H)">
            Show {hidden.value} hidden
          </button>
        )}
      </div>
      {(tools.exact || tools.measures) && (
        <p class="stage-news" role="status">
          {tools.exact ? `${wordsOf(tools.exact, conventions[convention.value]!.unit)} — Enter moves it, Esc leaves it` : 'Click two points. Esc ends measuring.'}
        </p>
      )}
    </>
  )
}

// In whose axes numbers are shown.
export function Axes() {
  return (
    <label class="stage-axes">
      <span class="visually-hidden">Axes of numbers</span>
      <select value={convention.value} title="Axes of numbers" onChange={event => (convention.value = event.currentTarget.value)}>
        {Object.entries(conventions).map(([key, { title }]) => (
          <option key={key} value={key}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}
