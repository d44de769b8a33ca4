// Beside the map: the scenes in view, those of one mark, or those within a circle with their distance.
import { useState } from 'preact/hooks'
import { refusalOf } from '../api/http'
import type { Scene } from '../api/types'
import { href } from '../app/router'
import { faultAt } from '../ui/field'
import { Icon } from '../ui/icon'
import { countOf } from '../ui/units'
import type { Answer } from '../ui/use_answer'
import type { Mark } from './cells'
import { distanceOf, type Found } from './circle'
import type { Circle } from './drawing'
import type { Look } from './mercator'

interface ListProps {
  scenes: Scene[]
  placed: Scene[]
  marks: Mark[]
  look: Look
  picked: string[]
  asked: Circle | null
  found: Answer<{ scenes: Found[]; next_start_record?: number } | undefined>
  setNear: (key: string) => void
  findCircle: (circle: Circle | null) => void
  showAll: () => void
  goTo: (scene: Scene) => void
}

const STEP = 100
const collator = new Intl.Collator(undefined, { numeric: true })

const named = (scene: Scene) => scene.name || scene.key

export function List(props: ListProps) {
  const { scenes, placed, marks, picked, asked, found } = props
  const [most, setMost] = useState(STEP)
  const inView = new Set(picked.length ? picked : marks.flatMap(mark => mark.keys))
  const listed: (Scene | Found)[] = asked
    ? (found.value?.scenes ?? [])
    : placed.filter(scene => inView.has(scene.key)).sort((a, b) => collator.compare(named(a), named(b)))
  const without = scenes.length - placed.length
  return (
    <aside class="map-list" aria-label="Scenes">
      {asked ? <Within {...props} asked={asked} count={listed.length} /> : (
        <header class="map-head">
          <h2 role="status">{picked.length ? `${countOf(listed.length, 'scene')} here` : `${countOf(listed.length, 'scene')} in view`}</h2>
          {picked.length > 0 && (
            <button class="link" onClick={props.showAll}>
              Show all in view
            </button>
          )}
        </header>
      )}
      <ul>
        {listed.slice(0, most).map(scene => (
          <li key={scene.key} class={picked.includes(scene.key) ? 'on' : ''} onPointerEnter={() => props.setNear(scene.key)} onPointerLeave={() => props.setNear('')}
            onFocusIn={() => props.setNear(scene.key)} onFocusOut={() => props.setNear('')}>
            <a class="map-row" href={href('scene', scene.key)}>
              <strong>{named(scene)}</strong>
              <span class="note mono">
                {scene.latitude.toFixed(4)}, {scene.longitude.toFixed(4)}
              </span>
            </a>
            {asked && 'distance' in scene && <span class="count">{distanceOf(scene.distance)}</span>}
            <button class="quiet" aria-label={`Show ${named(scene)} on the map`} title="Show on the map" onClick={() => props.goTo(scene)}>
              <Icon name="place" size={16} />
            </button>
          </li>
        ))}
      </ul>
      {listed.length > most && (
        <button class="button" onClick={() => setMost(most + 4 * STEP)}>
          Show more
        </button>
      )}
      {!asked && listed.length === 0 && placed.length > 0 && <p class="note">Nothing is here. Farther away there is more.</p>}
      {without > 0 && (
        <p class="note">
          {countOf(without, 'scene')} without a place: <a href={href('scenes')}>all scenes</a>
        </p>
      )}
    </aside>
  )
}

const MEMBERS: [keyof Circle, string, string][] = [['km', 'Within km of', 'distance'], ['latitude', 'Latitude', 'latitude'], ['longitude', 'Longitude', 'longitude']]

// A number of the circle. What is typed stays, whatever is drawn meanwhile, until it is the number.
function CircleField({ title, value, wrong, set }: { title: string; value: number; wrong: boolean; set: (number: number) => void }) {
  const [typed, setTyped] = useState<{ text: string; over: number } | null>(null)
  const text = typed?.over === value ? typed.text : null // what was typed over another number is gone with that
  const take = () => {
    const number = text === null ? value : Number(text.replace(',', '.') || NaN)
    if (number === value) setTyped(null)
    set(number)
  }
  return (
    <label class={wrong ? 'wrong' : ''}>
      <span>{title}</span>
      <input class="input" inputMode="decimal" value={text ?? String(Number(value.toFixed(5)))} aria-invalid={wrong || undefined}
        onInput={event => setTyped({ text: event.currentTarget.value, over: value })} onBlur={take} onKeyDown={event => event.key === 'Enter' && take()} />
    </label>
  )
}

function Within({ asked, found, findCircle, count }: ListProps & { asked: Circle; count: number }) {
  const [bad, setBad] = useState('') // the member that is no number: the address has none then
  const set = (member: keyof Circle, name: string) => (number: number) => {
    setBad(Number.isFinite(number) ? '' : name)
    if (Number.isFinite(number) && number !== asked[member]) findCircle({ ...asked, [member]: number })
  }
  const fault = (member: string) => (bad === member ? 'must be a number' : faultAt(found.failure, '/' + member))
  const wrong = MEMBERS.map(([, , name]) => fault(name)).find(Boolean) ?? (found.failure && refusalOf(found.failure))
  return (
    <header class="map-head within">
      <h2 role="status">
        {found.value ? countOf(count, 'scene') : 'Scenes'} within {distanceOf(asked.km)}
        {found.value?.next_start_record !== undefined && ', and more'}
      </h2>
      <button class="quiet" aria-label="Remove the circle" title="Remove the circle (Esc)" onClick={() => findCircle(null)}>
        <Icon name="close" />
      </button>
      <div class="map-fields">
        {MEMBERS.map(([member, title, name]) => (
          <CircleField key={member} title={title} value={asked[member]} wrong={!!fault(name)} set={set(member, name)} />
        ))}
      </div>
      {wrong && (
        <p class="refusal" role="alert">
          {wrong}
        </p>
      )}
    </header>
  )
}
