// All scenes that one may see, and the making of a new one.
import { useMemo, useState } from 'preact/hooks'
import type { Scene } from '../api/types'
import { useScenes } from '../api/use_scenes'
import { href, place, setQuery } from '../app/router'
import { Command } from '../ui/command'
import { Filter, NothingFits } from '../ui/filter'
import { Icon } from '../ui/icon'
import { Empty, Loading, Refused } from '../ui/states'
import { NewScene } from './new_scene'

const collator = new Intl.Collator()

type Column = 'name' | 'key' | 'region'

export function Scenes() {
  const { value, failure, again, filter, shown: fitting } = useScenes()
  const [making, setMaking] = useState(false)
  const sort = (place.value.query.get('sort') ?? 'name') as Column
  const shown = useMemo(() => {
    const title = (scene: Scene) => (sort === 'key' ? scene.key : sort === 'region' ? scene.region : scene.name || scene.key)
    return [...fitting].sort((a, b) => collator.compare(title(a), title(b)))
  }, [fitting, sort])

  if (failure && !value) return <Refused failure={failure} what="these scenes" again={again} />
  if (!value) return <Loading what="scenes" />
  return (
    <div class="page">
      <div class="tools">
        <Filter by="name, key, region or tag" of="scenes" filter={filter} shown={shown.length} all={value.length} />
        <a class="button" href={href('map')}>
          <Icon name="map" size={16} /> Map
        </a>
        <button class="button main" onClick={() => setMaking(true)}>
          <Icon name="plus" size={16} /> New scene
        </button>
      </div>
      {value.length === 0 ? (
        <Nothing onMake={() => setMaking(true)} />
      ) : shown.length === 0 ? (
        <NothingFits all={value.length} />
      ) : (
        <Table scenes={shown} sort={sort} />
      )}
      {making && <NewScene onClose={() => setMaking(false)} />}
    </div>
  )
}

export function Nothing({ onMake }: { onMake: () => void }) {
  const usual = /^http:\/\/(127\.0\.0\.1|localhost):8080$/.test(location.origin)
  return (
    <Empty icon="scenes" title="No scenes yet">
      <p>A scene is a place in which devices, people and programs share objects. See one in which people walk:</p>
      <Command line={`diorama demo${usual ? '' : ` --url=${location.origin}`}`} />
      <p>or, where the server runs in a container,</p>
      <Command line="docker compose exec diorama diorama demo" />
      <button class="button main" onClick={onMake}>
        New scene
      </button>
    </Empty>
  )
}

function Head({ column, title, sort, name }: { column: Column; title: string; sort: Column; name?: string }) {
  return (
    <th class={name} aria-sort={sort === column ? 'ascending' : undefined}>
      <button class="head" onClick={() => setQuery('sort', column === 'name' ? '' : column)}>
        {title}
        {sort === column && <Icon name="down" size={12} />}
      </button>
    </th>
  )
}

// Rows in view only: a few hundred at a time, more as one scrolls.
function Table({ scenes, sort }: { scenes: Scene[]; sort: Column }) {
  const [most, setMost] = useState(200)
  return (
    <>
      <div class="table-box" role="region" aria-label="Scenes" tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <Head column="name" title="Name" sort={sort} />
              <Head column="key" title="Key" sort={sort} name="wide-only" />
              <Head column="region" title="Region" sort={sort} />
              <th class="wide-only">Place</th>
              <th>Tags</th>
              <th>Seen by</th>
            </tr>
          </thead>
          <tbody>
            {scenes.slice(0, most).map(scene => (
              <tr key={scene.key}>
                <td>
                  <a class="row-link" href={href('scene', scene.key)}>
                    {scene.name || scene.key}
                  </a>
                </td>
                <td class="mono wide-only">{scene.key}</td>
                <td>{scene.region}</td>
                <td class="mono wide-only">{placeOf(scene)}</td>
                <td>
                  {(scene.tags ?? []).slice(0, 6).map(tag => (
                    <span class="tag" key={tag}>
                      {tag}
                    </span>
                  ))}
                </td>
                <td>{scene.public ? 'everybody' : 'its owner'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {scenes.length > most && (
        <button class="button wide" onClick={() => setMost(most + 500)}>
          Show more
        </button>
      )}
    </>
  )
}

function placeOf(scene: Scene) {
  if (!scene.latitude && !scene.longitude) return ''
  return `${scene.latitude.toFixed(4)}, ${scene.longitude.toFixed(4)}`
}
