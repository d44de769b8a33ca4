// Scenes by place: a map, and beside it the list of what is in view or within a circle.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useScenes } from '../api/use_scenes'
import type { Scene } from '../api/types'
import { place, setQuery } from '../app/router'
import { NewScene } from '../screens/new_scene'
import { Icon, type IconName } from '../ui/icon'
import { Empty, Loading, Refused } from '../ui/states'
import { useSize } from '../ui/use_size'
import { type Mark, marksOf } from './cells'
import { circleOf, textOf, useFound } from './circle'
import type { Circle } from './drawing'
import { List } from './list'
import { fitted, type Look, MOST_SCALE, type Place, type Size, within, zoomed } from './mercator'
import { Picture, type Tool } from './picture'

const tools: { tool: Tool; title: string; icon: IconName }[] = [
  { tool: 'look', title: 'Look around', icon: 'select' },
  { tool: 'circle', title: 'Draw a circle: what is within it is listed', icon: 'circle' },
  { tool: 'pin', title: 'Drop a pin: a new scene there', icon: 'place' },
]

export const hasPlace = (scene: Scene) => scene.latitude !== 0 || scene.longitude !== 0

// Where one looks stands in the address, so that going back leads there.
function lookOf(size: Size): Look | null {
  const [latitude, longitude, scale] = (place.peek().query.get('at') ?? '').split(',').map(Number)
  if (![latitude, longitude, scale].every(Number.isFinite) || !scale) return null
  return within({ latitude: latitude!, longitude: longitude!, scale }, size)
}

function useLook(size: Size, scenes: Scene[] | undefined): [Look, (look: Look) => void] {
  const [look, setLook] = useState<Look | null>(null)
  const timer = useRef(0)
  const whole = useMemo(() => fitted(scenes?.filter(hasPlace) ?? [], size), [scenes, size.width, size.height])
  const shown = look ? within(look, size) : (lookOf(size) ?? whole)
  const change = (next: Look) => {
    setLook(next)
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setQuery('at', [next.latitude.toFixed(6), next.longitude.toFixed(6), Math.round(next.scale)].join(',')), 300)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return [shown, change]
}

export default function MapScreen() {
  const { value, failure, again } = useScenes()
  if (failure && !value) return <Refused failure={failure} what="these scenes" again={again} />
  if (!value) return <Loading what="the map" rows={8} />
  return <Mapped scenes={value} />
}

function Mapped({ scenes }: { scenes: Scene[] }) {
  const [size, watch] = useSize()
  const [look, setLook] = useLook(size, scenes)
  const [tool, setTool] = useState<Tool>('look')
  const [near, setNear] = useState('')
  const [picked, setPicked] = useState<string[]>([])
  const [drawn, setDrawn] = useState<Circle | null>(null) // under the pointer
  const [pin, setPin] = useState<Place | null>(null)
  const asked = circleOf(place.value.query.get('near'))
  const found = useFound(asked)
  const placed = useMemo(() => scenes.filter(hasPlace), [scenes])
  const marks = useMemo(() => (size.width ? marksOf(placed, look, size) : []), [placed, look.latitude, look.longitude, look.scale, size.width, size.height])

  function findCircle(circle: Circle | null) {
    setDrawn(null)
    setPicked([])
    setTool('look')
    setQuery('near', circle ? textOf(circle) : '')
  }
  // Scenes that lie apart are shown apart; those at one place are listed.
  function pick(mark: Mark | undefined) {
    if (!mark) return setPicked([])
    const inside = placed.filter(scene => mark.keys.includes(scene.key))
    const closer = fitted(inside, size, MOST_SCALE)
    if (mark.keys.length > 1 && closer.scale < MOST_SCALE && closer.scale > look.scale * 1.2) setLook(closer)
    else setPicked(mark.keys)
  }
  function leave() {
    if (tool !== 'look') setTool('look')
    else if (picked.length) setPicked([])
    else if (asked) findCircle(null)
  }

  const middle = { x: size.width / 2, y: size.height / 2 }
  return (
    <div class="map">
      <div class="map-field" ref={watch}>
        {size.width > 0 && (
          <Picture look={look} size={size} marks={marks} near={near} circle={drawn ?? asked} pin={pin} tool={tool} setLook={setLook}
            drawCircle={setDrawn} findCircle={findCircle} dropPin={place => (setTool('look'), setPin(place))} pick={pick} leave={leave} />
        )}
        <div class="stage-tools" role="toolbar" aria-label="Tools">
          {tools.map(({ tool: each, title, icon }) => (
            <button key={each} class="tool" aria-label={title} title={title} aria-pressed={tool === each} onClick={() => setTool(each)}>
              <Icon name={icon} />
            </button>
          ))}
        </div>
        <div class="align-zoom" role="toolbar" aria-label="Zoom">
          <button class="tool" aria-label="Nearer" title="Nearer (+)" onClick={() => setLook(zoomed(look, size, middle, 2))}>
            <Icon name="plus" size={16} />
          </button>
          <button class="tool" aria-label="Farther" title="Farther (−)" onClick={() => setLook(zoomed(look, size, middle, 0.5))}>
            <Icon name="minus" size={16} />
          </button>
          <button class="tool" aria-label="Show all scenes" title="Show all scenes" onClick={() => setLook(fitted(placed, size))}>
            <Icon name="frame" size={16} />
          </button>
          <button class="tool" aria-label="The whole world" title="The whole world (0)" onClick={() => setLook(fitted([], size))}>
            <Icon name="world" size={16} />
          </button>
        </div>
        {tool !== 'look' && (
          <p class="stage-news" role="status">
            {tool === 'pin' ? 'Click where the new scene is.' : 'Drag from the middle of a circle outwards.'} Esc leaves it.
          </p>
        )}
        {placed.length === 0 && tool === 'look' && (
          <div class="stage-empty">
            <Empty icon="map" title={scenes.length ? 'No scene has a place yet' : 'No scenes yet'}>
              <p>A scene with latitude and longitude is shown here.</p>
              <button class="button main" onClick={() => setTool('pin')}>
                Make one here
              </button>
            </Empty>
          </div>
        )}
      </div>
      <List scenes={scenes} placed={placed} marks={marks} look={look} picked={picked} asked={asked} found={found} setNear={setNear}
        findCircle={findCircle} showAll={() => setPicked([])} goTo={scene => setLook(fitted([scene], size))} />
      {pin && (
        <NewScene onClose={() => setPin(null)} place={{ latitude: pin.latitude.toFixed(6), longitude: pin.longitude.toFixed(6) }} />
      )}
    </div>
  )
}
