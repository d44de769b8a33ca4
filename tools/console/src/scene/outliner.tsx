// The things of a scene as a tree. Only rows in view are in the page; the tree is also the text of
// the canvas.
import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Alignment, Device, Thing } from '../api/types'
import { around } from '../app/router'
import type { Entry } from '../live/protocol'
import { Icon, type IconName } from '../ui/icon'
import { lengthOf } from '../ui/units'
import { nameOf, type SceneModel, titleOf } from './model'
import { formOf } from './view/forms'

const ROW = 28
const collator = new Intl.Collator(undefined, { numeric: true }) // a comparison without one takes fifty times as long

interface Row {
  entry: Entry
  depth: number
  children: number
  name: string
}

function iconOf(entry: Entry): IconName {
  if (entry.kind === 'device') return 'devices'
  if (entry.kind === 'property') return 'list'
  const { type, subtype } = entry.record as Thing
  const form = formOf(type, subtype)
  return form === 'light' ? 'light' : form === 'camera' ? 'camera' : form === 'axes' ? 'axes' : 'mesh'
}

function rowsOf(model: SceneModel, filter: string, closed: Set<string>): Row[] {
  const entries = [...model.entries.values()].filter(entry => entry.kind !== 'device')
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const row = (entry: Entry, depth: number, children: number) => ({ entry, depth, children, name: nameOf(entry.kind, entry.key) })
  const byTitle = (a: Entry, b: Entry) => collator.compare(titleOf(a), titleOf(b))
  if (words.length) {
    const fits = (entry: Entry) => words.every(word => `${titleOf(entry)} ${entry.key} ${(entry.record as Thing).type ?? ''}`.toLowerCase().includes(word))
    return entries.filter(fits).sort(byTitle).map(entry => row(entry, 0, 0))
  }
  const children = new Map<string, Entry[]>()
  for (const entry of entries) {
    const { parent } = entry.record as Thing
    const under = parent && parent !== entry.key && model.byName.has(nameOf('object', parent)) ? parent : ''
    if (!children.has(under)) children.set(under, [])
    children.get(under)!.push(entry)
  }
  const rows: Row[] = []
  const seen = new Set<number>() // parents may lead in a circle
  const add = (parent: string, depth: number) => {
    for (const entry of (children.get(parent) ?? []).sort(byTitle)) {
      if (seen.has(entry.index)) continue
      seen.add(entry.index)
      const below = entry.kind === 'object' ? (children.get(entry.key)?.length ?? 0) : 0
      rows.push(row(entry, depth, below))
      if (below && !closed.has(entry.key)) add(entry.key, depth + 1)
    }
  }
  add('', 0)
  if (!closed.size) for (const entry of entries) if (!seen.has(entry.index)) rows.push(row(entry, 0, 0))
  return rows
}

export function Outliner({ model, onFrame }: { model: SceneModel; onFrame: () => void }) {
  const filter = useSignal('')
  const closed = useSignal(new Set<string>())
  const top = useSignal(0)
  const height = useSignal(600)
  const box = useRef<HTMLDivElement>(null)
  const rows = useComputed(() => {
    void model.structure.value
    return rowsOf(model, filter.value, closed.value)
  })
  const selected = model.selected.value
  const chosenNames = new Set(model.chosen.value)
  const hidden = model.hidden.value

  useEffect(() => {
    const observer = new ResizeObserver(() => (height.value = box.current?.clientHeight ?? 600))
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])

  const chosen = rows.value.findIndex(row => row.name === selected)
  useEffect(() => {
    const { current } = box
    if (chosen < 0 || !current) return
    if (chosen * ROW < current.scrollTop) current.scrollTop = chosen * ROW
    else if ((chosen + 1) * ROW > current.scrollTop + current.clientHeight) current.scrollTop = (chosen + 1) * ROW - current.clientHeight
  }, [selected, chosen])

  function toggle(row: Row, open: boolean) {
    const next = new Set(closed.value)
    if (open) next.delete(row.entry.key)
    else next.add(row.entry.key)
    closed.value = next
  }

  function onKey(event: KeyboardEvent) {
    const row = rows.value[chosen]
    const to = (index: number) => {
      const next = rows.value[Math.max(0, Math.min(rows.value.length - 1, index))]
      if (next) model.select(next.name, event.shiftKey && !chosenNames.has(next.name))
    }
    const page = Math.max(1, Math.floor(height.value / ROW) - 1)
    const moves: Record<string, () => void> = {
      ArrowDown: () => to(chosen + 1),
      ArrowUp: () => to(chosen - 1),
      PageDown: () => to(chosen + page),
      PageUp: () => to(chosen - page),
      Home: () => to(0),
      End: () => to(rows.value.length - 1),
      ArrowRight: () => row?.children && toggle(row, true),
      ArrowLeft: () => row?.children && toggle(row, false),
      Enter: onFrame,
      Escape: () => (model.selected.value = ''),
    }
    if (event.ctrlKey && event.key === 'a') {
      const names = rows.value.filter(row => row.entry.kind === 'object').map(row => row.name)
      model.selected.value = names[0] ?? ''
      model.also.value = { beside: names[0] ?? '', names: new Set(names.slice(1)) }
      return event.preventDefault()
    }
    if (!moves[event.key]) return
    event.preventDefault()
    event.stopPropagation()
    moves[event.key]!()
  }

  const first = Math.max(0, Math.floor(top.value / ROW) - 4)
  const last = Math.min(rows.value.length, Math.ceil((top.value + height.value) / ROW) + 4)
  return (
    <section class="panel-part grow" aria-label="Things">
      <label class="search small">
        <Icon name="search" size={14} />
        <input type="search" placeholder={`Filter ${rows.value.length}`} aria-label="Filter things" value={filter.value}
          onInput={event => (filter.value = event.currentTarget.value)} />
      </label>
      <div class="tree" role="tree" aria-label="Things of the scene" aria-multiselectable="true" tabIndex={0} ref={box} onKeyDown={onKey}
        aria-activedescendant={chosen >= 0 ? `row-${chosen}` : undefined}
        onScroll={event => (top.value = event.currentTarget.scrollTop)}>
        <div class="tree-all" role="presentation" style={{ height: `${rows.value.length * ROW}px` }}>
          {rows.value.slice(first, last).map((row, i) => (
            <div key={row.name} id={`row-${first + i}`} role="treeitem" class={hidden.has(row.entry.index) ? 'tree-row off' : 'tree-row'} aria-level={row.depth + 1}
              aria-selected={chosenNames.has(row.name)} aria-posinset={first + i + 1} aria-setsize={rows.value.length}
              aria-expanded={row.children ? !closed.value.has(row.entry.key) : undefined}
              style={{ top: `${(first + i) * ROW}px`, paddingLeft: `${8 + row.depth * 14}px` }}
              onClick={event => model.select(row.name, event.ctrlKey || event.metaKey || event.shiftKey)} onDblClick={onFrame}>
              <span class="twist" onClick={event => row.children && (event.stopPropagation(), toggle(row, closed.value.has(row.entry.key)))}>
                {row.children > 0 && <Icon name={closed.value.has(row.entry.key) ? 'right' : 'down'} size={12} />}
              </span>
              <Icon name={iconOf(row.entry)} size={15} />
              <span class="tree-name">{titleOf(row.entry)}</span>
              {hidden.has(row.entry.index) && <span class="note">hidden</span>}
              {row.children > 0 && <span class="count">{row.children}</span>}
              {(row.entry.record as Thing).owner && <Icon name="lock" size={13} />}
            </div>
          ))}
        </div>
      </div>
    </section>
  )
}

const marks: Record<Alignment['status'], [string, string]> = {
  corrected: ['●', 'good'],
  predicted: ['●', 'good'],
  unverified: ['▲', 'warn'],
  conflicting: ['✕', 'bad'],
  none: ['○', 'faint'],
}

export function DeviceList({ model, onFrame }: { model: SceneModel; onFrame: () => void }) {
  void model.structure.value
  const devices = model.devices()
  const viewers = model.consoles.value
  if (devices.length + viewers === 0) return null
  return (
    <section class="panel-part devices" aria-label="Devices">
      <h2 class="panel-title">
        Devices <span class="count">{devices.length}</span>
        <a href={around(model.scene)}>Alignment</a>
      </h2>
      <ul>
        {devices.slice(0, 200).map(entry => {
          const { alignment } = entry.record as Device
          const [sign, tone] = marks[alignment?.status ?? 'none']
          const name = nameOf('device', entry.key)
          return (
            <li key={entry.key}>
              <button class="device-row" aria-pressed={model.selected.value === name} onClick={() => (model.selected.value = name)} onDblClick={onFrame}>
                <span class={tone} aria-hidden="true">
                  {sign}
                </span>
                <span class="tree-name">{entry.key}</span>
                <span class="count">{alignment?.sigma_t_m !== undefined ? lengthOf(alignment.sigma_t_m) : (alignment?.status ?? '')}</span>
              </button>
            </li>
          )
        })}
      </ul>
      {viewers > 0 && <p class="note">{viewers === 1 ? 'One console moves things here.' : `${viewers} consoles move things here.`}</p>}
    </section>
  )
}
