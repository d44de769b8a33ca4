// Which scene is in the middle, and how far around it one looks.
import type { Scene } from '../api/types'
import { around, go, href, place, setQuery } from '../app/router'
import { Combo } from '../ui/combo'
import { Filter, NothingFits } from '../ui/filter'
import { Icon } from '../ui/icon'
import { Empty } from '../ui/states'
import type { List } from '../ui/use_list'

export const HOPS = 3
export const MOST_HOPS = 8

// Goes to another scene; the number of hops stays.
export function goAround(scene: string) {
  const hops = place.value.query.get('hops')
  go(around(scene) + (hops ? `&hops=${hops}` : ''))
}

export function Picker({ scenes, scene, hops }: { scenes: Scene[]; scene: string; hops: number }) {
  const choices = scenes.map(({ key, name }) => ({ key, title: name || key })).sort((a, b) => a.title.localeCompare(b.title, undefined, { numeric: true }))
  return (
    <>
      <Combo label="Scene" choices={choices} chosen={scene} take={goAround} />
      <label class="align-hops">
        <span>Hops</span>
        <select class="input" value={String(hops)} onChange={event => setQuery('hops', event.currentTarget.value === String(HOPS) ? '' : event.currentTarget.value)}>
          {Array.from({ length: MOST_HOPS }, (_, i) => (
            <option key={i} value={String(i + 1)}>
              {i + 1}
            </option>
          ))}
        </select>
      </label>
    </>
  )
}

export function Choice({ list }: { list: List<Scene> }) {
  const { value, filter, shown } = list
  if (!value?.length)
    return (
      <Empty icon="alignment" title="No scenes yet">
        <p>Alignment tells how the coordinates of scenes relate. Make scenes first.</p>
        <a class="button main" href={href('scenes')}>
          To the scenes
        </a>
      </Empty>
    )
  return (
    <>
      <p class="align-lead">Devices that stand in two scenes tell how these relate. Pick a scene to see what is known around it.</p>
      <div class="tools">
        <Filter by="name, key, region or tag" of="scenes" filter={filter} shown={shown.length} all={value.length} />
      </div>
      {shown.length === 0 ? (
        <NothingFits all={value.length} />
      ) : (
        <ul class="align-choice">
          {shown.slice(0, 200).map(scene => (
            <li key={scene.key}>
              <a href={around(scene.key)}>
                <Icon name="scenes" />
                <strong>{scene.name || scene.key}</strong>
                <span class="mono faint">{scene.key}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
