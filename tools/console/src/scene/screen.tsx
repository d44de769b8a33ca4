// The screen of one scene: what is there, where it is, and what is selected.
import { Forbidden, NotFound } from 'diorama-client'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { path, refusalOf } from '../api/http'
import { here } from '../app/finder'
import { askSession } from '../app/session'
import { badge } from '../app/shell'
import { DropPlace, Uploads } from '../assets/drop'
import { upload } from '../assets/upload'
import { isDark } from '../app/theme'
import { Command } from '../ui/command'
import { Icon } from '../ui/icon'
import { Empty, Loading, Refused } from '../ui/states'
import { say } from '../ui/toast'
import { StreamBadge } from './badge'
import { convention } from './convention'
import { Crowd } from './crowd'
import { Edits, grabOf } from './edits'
import { Asked } from './held'
import { Inspector } from './inspector'
import { useKeys } from './keys'
import { nameOf, SceneModel, titleOf } from './model'
import { DeviceList, Outliner } from './outliner'
import { Scrubber } from './past/scrubber'
import { Axes, Tools, useTools } from './tools'
import { TopView } from './top_view'
import type { GizmoMode } from './view/gizmo'
import type { View } from './view/view'

export default function SceneScreen({ scene }: { scene: string }) {
  const model = useMemo(() => new SceneModel(scene), [scene])
  const edits = useMemo(() => new Edits(model), [model])
  const crowd = useMemo(() => new Crowd(scene), [scene])
  const [view, setView] = useState<View | null>(null)
  const [mode, setMode] = useState<GizmoMode>('select')
  const [sheet, setSheet] = useState<'list' | 'facts' | ''>('')

  useEffect(() => {
    badge.value = <StreamBadge model={model} />
    return () => {
      badge.value = null
      crowd.end()
      edits.end()
      model.end()
    }
  }, [model])

  const selected = model.selected.value
  useEffect(() => view?.select(), [view, selected, model.chosen.value])
  const why = edits.why.value
  useEffect(() => view?.setMode(why ? 'select' : mode), [view, mode, why])
  useEffect(() => {
    edits.release = () => view?.gizmo.release()
  }, [view])

  const tools = useTools(model, edits, view, mode, setMode)
  const { frame } = tools
  useKeys(tools)
  useEffect(() => view?.hide(), [view, model.hidden.value, convention.value])
  useEffect(() => {
    here.value = () =>
      [...model.entries.values()].map(entry => ({ kind: entry.kind, title: titleOf(entry), key: entry.key, go: () => model.select(nameOf(entry.kind, entry.key)) }))
    return () => (here.value = null)
  }, [model])

  const word = model.word.value
  const { detail } = model.state.peek() // is another one with the word
  useEffect(() => {
    if (word === 'signed out') void askSession() // leads to the sign-in, and back
  }, [word])
  if (word === 'gone' && !model.loaded.value) return <Refused failure={new NotFound(404, {})} what={scene} />
  if (word === 'gone')
    return (
      <Empty icon="info" title="This scene is gone">
        <p>{detail || 'It was deleted, or is private now and not yours.'}</p>
      </Empty>
    )
  if (word === 'refused') return <Refused failure={new Forbidden(403, { detail: detail ?? '' })} what={scene} />
  if (!model.loaded.value && word === 'catching up') return <Loading what={scene} rows={8} />
  return (
    <div class={sheet ? `scene sheet-${sheet}` : 'scene'}>
      <aside class="panel left" aria-label="Contents">
        <Outliner model={model} onFrame={frame} />
        <DeviceList model={model} onFrame={frame} />
      </aside>
      <div class={word === 'live' ? 'stage' : 'stage dimmed'}>
        <DropPlace words="Drop files to put them into the scene" take={files => void putFiles(files, model, edits)}>
          <Canvas model={model} edits={edits} onView={setView} />
        </DropPlace>
        <Uploads />
        <Tools {...tools} />
        <Axes />
        {word === 'reconnecting' && (
          <p class="stage-news" role="status">
            The server does not answer. What is shown was true before; it goes on by itself.
          </p>
        )}
        <Asked model={model} edits={edits} />
        <EmptyHint model={model} edits={edits} crowd={crowd} />
        {crowd.walks.value && (
          <button class="button stage-crowd" onClick={() => void crowd.remove()}>
            Remove the walkers
          </button>
        )}
        <Scrubber model={model} />
        <div class="sheet-tabs">
          <button class="button" aria-pressed={sheet === 'list'} onClick={() => setSheet(sheet === 'list' ? '' : 'list')}>
            <Icon name="list" size={16} /> Things
          </button>
          <button class="button" aria-pressed={sheet === 'facts'} onClick={() => setSheet(sheet === 'facts' ? '' : 'facts')}>
            <Icon name="info" size={16} /> Selection
          </button>
        </div>
      </div>
      <aside class="panel right" aria-label="Selection">
        <Inspector model={model} edits={edits} />
      </aside>
    </div>
  )
}

// Each file becomes an asset, and a thing that shows it, side by side at the middle.
async function putFiles(files: File[], model: SceneModel, edits: Edits) {
  if (edits.why.value) return say(edits.why.value, true)
  for (const [i, file] of files.entries()) {
    const asset = await upload(file)
    if (!asset) continue
    try {
      const name = file.name.replace(/\.[\w-]+$/, '')
      const key = await edits.create({ name, type: 'Mesh', transform: [1, 0, 0, i * 2, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], assets: [asset] })
      model.selected.value = nameOf('object', key)
    } catch (failure) {
      say(refusalOf(failure), true)
    }
  }
}

function EmptyHint({ model, edits, crowd }: { model: SceneModel; edits: Edits; crowd: Crowd }) {
  void model.structure.value
  if (model.entries.size || !model.loaded.value || model.word.value !== 'live' || edits.why.value) return null
  async function make() {
    const key = await edits.create({ name: 'Cube', type: 'Mesh', subtype: 'Cube', transform: [1, 0, 0, 0, 0, 1, 0, 0.5, 0, 0, 1, 0, 0, 0, 0, 1] })
    model.selected.value = `object ${key}`
  }
  return (
    <div class="stage-empty">
      <Empty icon="mesh" title="Nothing is here yet">
        <p>Whatever devices, programs or people put here appears at once.</p>
        <button class="button main" onClick={() => void make()}>
          Put a cube here
        </button>
        <button class="button" onClick={() => void crowd.start()}>
          Let 20 people walk
        </button>
        <p class="note">They walk as long as this page is open. From a terminal:</p>
        <Command line={`curl -sS '${location.origin}${path`/v1/scene/${model.scene}/object`}' -H 'Content-Type: application/json' -d '{"name":"cube"}'`} />
      </Empty>
    </div>
  )
}

// The 3-D view is loaded when it is first needed; without WebGL there is a view from above.
function Canvas({ model, edits, onView }: { model: SceneModel; edits: Edits; onView: (view: View | null) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLDivElement>(null)
  const [flat, setFlat] = useState(false)
  useEffect(() => {
    let view: View | null = null
    let ended = false
    import('./view/view').then(
      ({ View }) => {
        if (ended) return
        try {
          view = new View(model, canvas.current!, overlay.current!, grabOf(edits))
          ;(canvas.current as unknown as { view: View }).view = view // tests read its counters
          onView(view)
        } catch {
          setFlat(true) // no WebGL here
        }
      },
      () => setFlat(true),
    )
    return () => {
      ended = true
      view?.end()
      onView(null)
    }
  }, [model])
  const dark = isDark.value
  useEffect(() => {
    ;(canvas.current as unknown as { view?: View } | null)?.view?.paint()
  }, [dark])
  if (flat) return <TopView model={model} />
  return (
    <>
      <canvas ref={canvas} class="canvas" role="application" tabIndex={0}
        aria-label="View of the scene. Arrow keys turn it, Shift and arrow keys move it, plus and minus come nearer and go away. The list of things says in words what is here." />
      <div class="overlay" ref={overlay} aria-hidden="true" />
    </>
  )
}
