// How scenes relate: the graph around one of them, and the corrections that it rests on.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { ask, isAway, path, statusOf, refusalOf } from '../api/http'
import { useScenes } from '../api/use_scenes'
import type { Correction } from '../api/types'
import { place } from '../app/router'
import { session } from '../app/session'
import { Icon } from '../ui/icon'
import { Empty, Loading, Refused } from '../ui/states'
import { say } from '../ui/toast'
import { agoOf, countOf } from '../ui/units'
import { Corrections } from './corrections'
import { Choice, goAround, HOPS, MOST_HOPS, Picker } from './picker'
import { Panel } from './panel'
import { Picture } from './picture'
import { Remove } from './remove'
import { type Around, useAlignment } from './use_alignment'

const MANY = 0.2 // rejected: what devices claim of their accuracy is wrong then, or many lie
const UNPIN = 11 // the operation that takes back

export default function AlignmentScreen() {
  const list = useScenes()
  const { query } = place.value
  const scene = query.get('scene') ?? ''
  const hops = Math.min(MOST_HOPS, Math.max(1, Math.round(Number(query.get('hops') || HOPS)) || HOPS))
  const titles = useMemo(() => new Map((list.value ?? []).map(({ key, name }) => [key, name])), [list.value])
  if (!scene && list.failure && !list.value) return <Refused failure={list.failure} what="these scenes" again={list.again} />
  if (!scene && !list.value) return <Loading what="scenes" />
  return (
    <div class="page align">
      {scene ? <Surroundings scene={scene} hops={hops} titles={titles} picker={<Picker scenes={list.value ?? []} scene={scene} hops={hops} />} /> : <Choice list={list} />}
    </div>
  )
}

interface SurroundingsProps {
  scene: string
  hops: number
  titles: Map<string, string>
  picker: ComponentChildren
}

function Surroundings({ scene, hops, titles, picker }: SurroundingsProps) {
  const known = useAlignment(scene, hops, titles)
  const { graph, report, failure } = known
  const [pick, setPick] = useState({ scene, name: '' })
  const chosen = pick.scene === scene ? pick.name : ''
  const choose = (name: string) => setPick({ scene, name })
  const [near, setNear] = useState('')
  const isGone = statusOf(failure) === 404 && graph !== undefined
  const shown = graph && report && !isGone
  return (
    <>
      <div class="tools">
        {picker}
        {shown && <Summary known={known} />}
      </div>
      {isGone ? (
        <Empty icon="info" title="This scene is gone">
          <p>It was deleted, or is private now and not yours.</p>
        </Empty>
      ) : !shown ? (
        failure ? <Refused failure={failure} what={scene} again={known.again} /> : <Loading what={`the alignment of ${scene}`} rows={8} />
      ) : (
        <div>
          <News known={known} />
          {graph.links.length === 0 ? (
            <NoLinks scene={scene} hasSolution={report.as_of_us !== undefined} />
          ) : (
            <div class={failure ? 'align-both old' : 'align-both'}>
              <Picture key={scene} graph={graph} scene={scene} titles={titles} go={goAround} chosen={chosen} choose={choose} near={near} setNear={setNear} />
              <Panel graph={graph} scene={scene} titles={titles} chosen={chosen} choose={choose} near={near} setNear={setNear} />
            </div>
          )}
          <Change key={scene} known={known} scene={scene} title={titles.get(scene) || scene} />
        </div>
      )}
    </>
  )
}

// How much there is, and how new it is.
function Summary({ known }: { known: Around }) {
  const { graph, report } = known
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick(count => count + 1), 5000)
    return () => clearInterval(timer)
  }, [])
  const bad = graph!.links.filter(link => link.status === 'conflicting').length
  const alone = graph!.links.filter(link => link.status === 'unverified').length
  return (
    <p class="align-summary">
      <span>{countOf(graph!.scenes.length, 'scene')}</span>
      <span>{countOf(graph!.links.length, 'link')}</span>
      <span>{countOf(graph!.corrections, 'correction')}</span>
      {bad > 0 && <span class="bad">✕ {bad} conflicting</span>}
      {alone > 0 && <span class="warn">▲ {alone} unverified</span>}
      {report!.as_of_us !== undefined && <span>solved {agoOf(report!.as_of_us)}</span>}
    </p>
  )
}

function News({ known }: { known: Around }) {
  const { graph, report, failure, news, solves, forget } = known
  const share = report!.rejected_share ?? 0
  return (
    <>
      {failure && (
        <p class="banner" role="alert">
          {isAway(failure) ? 'The server does not answer. What is shown was true before; it goes on by itself.' : refusalOf(failure)}
        </p>
      )}
      {graph!.cut && <p class="align-news">There are more scenes or links around it than one answer takes. Take fewer hops to see all of them.</p>}
      {share > MANY && (
        <p class="align-news warn">
          ▲ {Math.round(share * 100)} % of the evidence disagrees with the rest: devices claim to be more accurate than they are, or many are wrong.
        </p>
      )}
      <div class="align-told" role="status">
        {solves && <p class="align-news">The server solves all relations anew …</p>}
        {news.length > 0 && (
          <div class="align-news good">
            <ul>
              {news.slice(0, 6).map(line => (
                <li key={line}>{line}</li>
              ))}
              {news.length > 6 && <li>{news.length - 6} more links changed.</li>}
            </ul>
            <button class="quiet" aria-label="Close the news" onClick={forget}>
              <Icon name="close" size={16} />
            </button>
          </div>
        )}
      </div>
    </>
  )
}

function NoLinks({ scene, hasSolution }: { scene: string; hasSolution: boolean }) {
  if (!hasSolution)
    return (
      <Empty icon="alignment" title="The server solves its corrections">
        <p>It started a moment ago. What follows from them is shown as soon as it is known.</p>
      </Empty>
    )
  const register = (of: string, x: number, z: number) =>
    `curl -sS ${location.origin}/v1/scene/${encodeURIComponent(of).replace(/'/g, '%27')}/register \\\n  -H 'Content-Type: application/json' \\\n  -d '{"scenes":[{"devices":[{"key":"phone","transform":\n       {"translation":[${x},0,${z}],"rotation":[0,0,0]}}]}]}'`
  return (
    <div class="align-none">
      <Empty icon="alignment" title="No links yet">
        <p>A device that says where it stands in two scenes links them. Here a phone stands in this scene and in one called lobby:</p>
        <pre class="code" tabIndex={0} role="region" aria-label="Commands">
          {`${register(scene, 1, 0)}\n${register('lobby', 5, 10)}`}
        </pre>
      </Empty>
    </div>
  )
}

// The corrections, and what administrators do to them.
function Change({ known, scene, title }: { known: Around; scene: string; title: string }) {
  const [removing, setRemoving] = useState<Correction | null>(null)
  const mayChange = !session.value?.auth || session.value.admin
  const at = (correction: Correction) => path`/v1/scene/${scene}/alignment/${correction.id}`
  async function pin(correction: Correction) {
    try {
      await known.change(() => ask('PUT', at(correction) + (correction.pinned ? `?operation=${UNPIN}` : '')))
    } catch (failure) {
      say(refusalOf(failure), true)
    }
  }
  if (!known.report!.corrections.length && !known.graph!.links.length) return null
  return (
    <>
      <Corrections corrections={known.report!.corrections} title={title} mayChange={mayChange} isBusy={known.solves || known.failure !== undefined} pin={correction => void pin(correction)} remove={setRemoving} />
      {removing && (
        <Remove correction={removing} title={title} remove={() => known.change(() => ask('DELETE', at(removing)))} onClose={() => setRemoving(null)} />
      )}
    </>
  )
}
