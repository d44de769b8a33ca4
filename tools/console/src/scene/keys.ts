// Keys of a scene. With the focus on the view arrows turn it; G x 2 Enter moves exactly.
import { useEffect, useRef } from 'preact/hooks'
import { typed } from './exact'
import { modes, type ToolSet } from './tools'
import type { View } from './view/view'

function steer(view: View, event: KeyboardEvent, key: string) {
  const x = key === 'arrowleft' ? -1 : key === 'arrowright' ? 1 : 0
  const y = key === 'arrowdown' ? -1 : key === 'arrowup' ? 1 : 0
  if (event.shiftKey) view.steer(0, 0, x * 0.08, y * 0.08, 1)
  else view.steer(x * 0.1, y * -0.1, 0, 0, 1)
}

// Whether the key belongs to a movement that is typed.
function exactly(tools: ToolSet, event: KeyboardEvent): boolean {
  const { exact, mode, model } = tools
  if (mode === 'select' || model.entry(model.selected.peek())?.kind !== 'object' || tools.edits.why.peek()) return false
  if (exact && event.key === 'Enter') tools.moveExactly()
  else if (exact && event.key === 'Escape') tools.setExact(null)
  else {
    const next = typed(exact, mode, event.key)
    if (!next) return false
    tools.setExact(next)
  }
  return true
}

function escape({ view, model, measures, measure, setMode, mode }: ToolSet) {
  if (view?.gizmo.isBusy) view.gizmo.cancel()
  else if (measures) measure(false)
  else if (mode !== 'select') setMode('select')
  else model.selected.value = ''
}

function acts(tools: ToolSet, view: View): Record<string, (event: KeyboardEvent) => void> {
  const { model } = tools
  return {
    ...Object.fromEntries(modes.map(({ key, mode }) => [key.toLowerCase(), () => (tools.setExact(null), tools.setMode(mode))])),
    f: event => (event.shiftKey ? tools.follow() : tools.frame()),
    h: event => (event.shiftKey ? tools.showAll() : tools.hide()),
    i: tools.isolate,
    m: () => tools.measure(!tools.measures),
    a: () => tools.showNeighbours(!tools.neighbours),
    n: event => model.select(view.next(event.shiftKey ? -1 : 1)),
    escape: () => escape(tools),
    7: () => view.look(0, 1, 0),
    1: () => view.look(0, 0, 1),
    3: () => view.look(1, 0, 0),
    '+': () => view.steer(0, 0, 0, 0, 0.85),
    '=': () => view.steer(0, 0, 0, 0, 0.85),
    '-': () => view.steer(0, 0, 0, 0, 1.18),
  }
}

export function useKeys(tools: ToolSet) {
  const newest = useRef(tools)
  newest.current = tools
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.defaultPrevented || target.closest('input, textarea, select, dialog, [role=tree]')) return
      const { view, edits } = newest.current
      const key = event.key.toLowerCase()
      if ((event.ctrlKey || event.metaKey) && key === 'z') void edits.undo()
      else if (event.ctrlKey || event.metaKey || event.altKey || !view) return
      else if (!exactly(newest.current, event)) {
        const act = acts(newest.current, view)[key]
        if (act) act(event)
        else if (key.startsWith('arrow') && target.closest('canvas')) steer(view, event, key)
        else return
      }
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
