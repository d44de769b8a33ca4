// Beside the picture: what is chosen in numbers, or else all links and scenes, those that need
// somebody first.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Graph, GraphScene, Link } from '../api/types'
import { around, href } from '../app/router'
import { Fact } from '../ui/fact'
import { Icon } from '../ui/icon'
import { centimetresOf, degreesOf } from '../ui/units'
import type { Choosing } from './picture'
import { Witnesses } from './witnesses'
import { byNeed, isTie, linkName, lookOf } from './words'

interface PanelProps extends Choosing {
  graph: Graph
  scene: string
  titles: Map<string, string>
}

const MOST = 300 // rows

// The row that was chosen gives way to what it stands for, and comes back: the focus goes along.
function useFocus(chosen: string) {
  const box = useRef<HTMLElement>(null)
  const before = useRef(chosen)
  useEffect(() => {
    const isLost = document.activeElement === document.body
    const row = [...(box.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])].find(row => row.dataset['row'] === before.current)
    if (isLost && before.current !== chosen) (chosen ? box.current?.querySelector<HTMLElement>('.selected button') : row)?.focus({ preventScroll: chosen !== '' })
    before.current = chosen
  }, [chosen])
  return box
}

export function Panel(props: PanelProps) {
  const { graph, chosen } = props
  const box = useFocus(chosen)
  const link = graph.links.find(link => chosen === `link ${linkName(link)}`)
  const scene = graph.scenes.find(scene => chosen === `scene ${scene.key}`)
  return (
    <section class="side align-side" ref={box} aria-label={link || scene ? 'What is selected' : 'Links and scenes'}>
      {link ? <LinkPane {...props} link={link} /> : scene ? <ScenePane {...props} at={scene} /> : <All {...props} />}
    </section>
  )
}

function All(props: PanelProps) {
  const { graph } = props
  return (
    <>
      <h2>
        Links <span class="count">{graph.links.length}</span>
      </h2>
      <LinkList {...props} links={graph.links} />
      <h2>
        Scenes <span class="count">{graph.scenes.length}</span>
      </h2>
      <ul class="align-list">
        {graph.scenes.slice(0, MOST).map(scene => (
          <li key={scene.key}>
            <Row {...props} name={`scene ${scene.key}`}>
              <span class="faint" aria-hidden="true">
                {scene.pose ? '◉' : '○'}
              </span>
              <span class="align-name">{props.titles.get(scene.key) || scene.key}</span>
              <span class="count">{scene.key === props.scene ? 'in the middle' : scene.pose ? `σ ${centimetresOf(scene.sigma_t_m ?? 0)}` : 'nowhere'}</span>
            </Row>
          </li>
        ))}
      </ul>
    </>
  )
}

function Row({ name, choose, near, setNear, children }: Choosing & { name: string; children: ComponentChildren }) {
  return (
    <button class={near === name ? 'align-row near' : 'align-row'} data-row={name} onClick={() => choose(name)} onFocus={() => setNear(name)} onBlur={() => setNear('')}
      onPointerEnter={() => setNear(name)} onPointerLeave={() => setNear('')}>
      {children}
    </button>
  )
}

function LinkList(props: PanelProps & { links: Link[] }) {
  const { titles } = props
  return (
    <ul class="align-list">
      {[...props.links].sort(byNeed).slice(0, MOST).map(link => {
        const { sign, tone } = lookOf(link.status)
        return (
          <li key={linkName(link)}>
            <Row {...props} name={`link ${linkName(link)}`}>
              <span class={tone} aria-hidden="true">
                {sign}
              </span>
              <span class="align-name">
                {titles.get(link.from!) || link.from} – {titles.get(link.scene) || link.scene}
                <span class="visually-hidden">, {link.status}, </span>
              </span>
              <span class="count">σ {centimetresOf(link.sigma_t_m)}</span>
            </Row>
          </li>
        )
      })}
    </ul>
  )
}

function Head({ title, kind, choose }: { title: string; kind: string; choose: (name: string) => void }) {
  return (
    <header class="selected">
      <div class="align-head">
        <span class="note">{kind}</span>
        <h2>{title}</h2>
      </div>
      <button class="quiet" aria-label="Back to all links" onClick={() => choose('')}>
        <Icon name="close" />
      </button>
    </header>
  )
}

function LinkPane({ link, titles, scene, choose }: PanelProps & { link: Link }) {
  const { sign, tone, words } = lookOf(link.status)
  const ends = [link.from!, link.scene]
  const [x, y, z] = link.transform.translation
  return (
    <>
      <Head kind="Link" title={ends.map(key => titles.get(key) || key).join(' – ')} choose={choose} />
      <p class={`align-status ${tone}`}>
        <span aria-hidden="true">{sign}</span>
        <span>
          <strong>{link.status}</strong> {words}
        </span>
      </p>
      {isTie(link) && <p class="note">As many say one thing as say another, so the server cannot tell which is wrong. Find out, and remove that correction.</p>}
      <div class="align-figures">
        <Figure name="σ of place" value={centimetresOf(link.sigma_t_m)} />
        <Figure name="σ of turn" value={degreesOf(link.sigma_r_rad)} />
        <Figure name="Observations" value={`${link.observations}`} note={link.rejected ? `${link.rejected} rejected` : 'none rejected'} isBad={link.rejected > 0} />
        <Figure name="Devices" value={`${link.devices}`} />
      </div>
      <dl class="facts">
        <Fact name="Residual">
          {centimetresOf(link.residual_t_m)} and {degreesOf(link.residual_r_rad)}
        </Fact>
        <Fact name="Offset">
          <span class="mono">
            {x.toFixed(2)}, {y.toFixed(2)}, {z.toFixed(2)} m
          </span>
        </Fact>
      </dl>
      <Witnesses ends={ends as [string, string]} titles={titles} of={JSON.stringify(link)} />
      <div class="row">
        {ends.map(key => (
          <a class="button" key={key} href={key === scene ? href('scene', key) : around(key)}>
            {key === scene ? `Open ${titles.get(key) || key}` : `Around ${titles.get(key) || key}`}
          </a>
        ))}
      </div>
    </>
  )
}

function Figure({ name, value, note, isBad }: { name: string; value: string; note?: string; isBad?: boolean }) {
  return (
    <div>
      <span class="tile-title">{name}</span>
      <strong>{value}</strong>
      {note && <span class={isBad ? 'note bad' : 'note'}>{note}</span>}
    </div>
  )
}

function ScenePane(props: PanelProps & { at: GraphScene }) {
  const { at, graph, scene, titles, choose } = props
  const links = graph.links.filter(link => link.from === at.key || link.scene === at.key)
  const isMiddle = at.key === scene
  return (
    <>
      <Head kind={isMiddle ? 'Scene in the middle' : 'Scene'} title={titles.get(at.key) || at.key} choose={choose} />
      <dl class="facts">
        <Fact name="Key">
          <span class="mono">{at.key}</span>
        </Fact>
        {at.pose && !isMiddle && (
          <>
            <Fact name="Origin at">
              <span class="mono">{at.pose.translation.map(value => value.toFixed(2)).join(', ')} m</span>
            </Fact>
            <Fact name="σ of place">{centimetresOf(at.sigma_t_m ?? 0)}, seen from {titles.get(scene) || scene}</Fact>
          </>
        )}
        {!at.pose && <Fact name="Place">Nobody knows: no link that you may see leads there.</Fact>}
      </dl>
      <h2>
        Its links <span class="count">{links.length}</span>
      </h2>
      <LinkList {...props} links={links} />
      <div class="row">
        <a class="button" href={href('scene', at.key)}>
          Open the scene
        </a>
        {!isMiddle && (
          <a class="button" href={around(at.key)}>
            Look around it
          </a>
        )}
      </div>
    </>
  )
}
