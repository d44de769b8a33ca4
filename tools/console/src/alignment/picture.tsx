// The graph seen from above: scenes where they were found to be, links as lines between them. Keys
// step through it; the lists beside it say the same in words.
import { useMemo, useState } from 'preact/hooks'
import type { Graph } from '../api/types'
import { Icon } from '../ui/icon'
import { useSize } from '../ui/use_size'
import { drawingOf, type Line, type Spot, stepsOf, stripOf } from './drawing'
import { useGestures } from './gestures'
import { barOf, type Eye, eyeOf, gridOf, type Point, zoomed } from './layout'
import { Legend } from './legend'
import { Bar, Ground, Label, Node, Strip, Stroke, Title } from './marks'

export interface Choosing {
  chosen: string // 'scene KEY', 'link NAME' or ''
  choose: (name: string) => void
  near: string // what the pointer or the focus is at, here or in the lists
  setNear: (name: string) => void
}

interface PictureProps extends Choosing {
  graph: Graph
  scene: string
  titles: Map<string, string>
  go: (scene: string) => void
}

export function Picture(props: PictureProps) {
  const { graph, scene, titles } = props
  const [size, watch] = useSize()
  const [moved, setMoved] = useState<Eye | null>(null) // null: everything is shown
  const field = { width: size.width, height: size.height - stripOf(graph) }
  const whole = useMemo(() => eyeOf(graph.scenes, field), [graph, size.width, size.height])
  const eye = moved ?? whole
  const drawing = useMemo(() => drawingOf(graph, titles, eye, size), [graph, titles, eye, size])
  const zoom = (factor: number, at: Point = { x: field.width / 2, y: field.height / 2 }) => setMoved(zoomed(eye, factor, at, field))
  const [svg, setSvg] = useState<SVGSVGElement | null>(null)
  useGestures(svg, eye, setMoved, zoom)
  const steps = stepsOf(drawing)
  const focusable = [props.near, props.chosen, `scene ${scene}`].find(name => steps.includes(name))

  function onKey(event: KeyboardEvent) {
    const at = steps.indexOf((event.target as Element).getAttribute('data-name') ?? '')
    const to = (index: number) => (svg?.querySelectorAll<SVGElement>('[data-name]').forEach(mark => mark.getAttribute('data-name') === steps[index] && mark.focus()))
    const pan = (x: number, z: number) => setMoved({ ...eye, x: eye.x + (x * 60) / eye.scale, z: eye.z + (z * 60) / eye.scale })
    const moves: Record<string, () => void> = event.shiftKey
      ? { ArrowLeft: () => pan(-1, 0), ArrowRight: () => pan(1, 0), ArrowUp: () => pan(0, -1), ArrowDown: () => pan(0, 1) }
      : {
          ArrowRight: () => to((at + 1) % steps.length), ArrowDown: () => to((at + 1) % steps.length),
          ArrowLeft: () => to((at - 1 + steps.length) % steps.length), ArrowUp: () => to((at - 1 + steps.length) % steps.length),
          Home: () => to(0), End: () => to(steps.length - 1),
          Enter: () => props.choose(steps[at] ?? ''), ' ': () => props.choose(steps[at] ?? ''),
          Escape: () => props.choose(''),
        }
    Object.assign(moves, { '+': () => zoom(1.3), '=': () => zoom(1.3), '-': () => zoom(1 / 1.3), '0': () => setMoved(null) })
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    moves[event.key]!()
  }

  const bar = barOf(eye.scale, Math.min(140, size.width / 4))
  const draw = (name: string, status = '') => ({
    'data-name': name,
    role: 'button' as const,
    tabIndex: name === focusable ? 0 : -1,
    'aria-pressed': props.chosen === name,
    class: [status, props.chosen === name && 'on', props.near === name && 'near'].filter(Boolean).join(' '),
    onClick: () => props.choose(props.chosen === name ? '' : name),
    onFocus: () => props.setNear(name),
    onBlur: () => props.setNear(''),
    onPointerEnter: () => props.setNear(name),
    onPointerLeave: () => props.setNear(''),
  })
  const isLit = (line: Line) => [`link ${line.name}`, `scene ${line.link.from}`, `scene ${line.link.scene}`].some(name => name === props.near || name === props.chosen)
  const isAlone = (line: Line) => [props.near, props.chosen].includes(`link ${line.name}`)
  const isNamed = (spot: Spot) => spot.scene.key === scene || drawing.lines.some(line => isLit(line) && (line.from === spot || line.to === spot))
  const someLit = drawing.lines.some(isLit)
  const isLabelled = (line: Line) => isAlone(line) || ((line.label || line.link.status === 'conflicting') && (isLit(line) || !someLit))
  return (
    <figure class="align-picture">
      <div class="align-field" ref={watch}>
        {size.width > 0 && (
          <svg ref={setSvg} width={size.width} height={size.height} class={moved ? 'moved' : ''} role="group" onKeyDown={onKey}
            aria-label={`Scenes around ${scene} from above. Arrow keys step through scenes and links, Enter selects, plus and minus zoom. The lists beside say the same.`}>
            <path class="align-grid" d={gridOf(bar.metres, eye, field)} />
            {drawing.spots.map(spot => spot.truly && <Ground key={spot.scene.key} spot={spot} />)}
            {drawing.apart > 0 && <Strip size={size} apart={drawing.apart} />}
            {drawing.lines.map(line => (
              <g key={line.name} {...draw(`link ${line.name}`, line.link.status)} aria-label={`${line.link.from} to ${line.link.scene}: ${line.link.status}, ${line.words}`}>
                <Stroke line={line} faint={isLit(line) ? 1 : someLit ? 0.25 : drawing.isFull && line.link.status === 'predicted' ? 0.7 : 1} />
              </g>
            ))}
            {drawing.spots.map(spot => (
              <g key={spot.scene.key} {...draw(`scene ${spot.scene.key}`)} aria-label={wordsOf(spot, scene)} onDblClick={() => props.go(spot.scene.key)}>
                <Node spot={spot} isMiddle={spot.scene.key === scene} />
              </g>
            ))}
            {drawing.spots.map(spot => (spot.told || isNamed(spot)) && <Title key={spot.scene.key} spot={spot} isMiddle={spot.scene.key === scene} />)}
            {drawing.lines.map(line => isLabelled(line) && <Label key={line.name} line={line} isWhole={line.label !== null || isAlone(line)} />)}
            <Bar pixels={bar.pixels} words={bar.words} y={field.height - 16} />
          </svg>
        )}
        <div class="align-zoom" role="toolbar" aria-label="Zoom">
          <button class="tool" aria-label="Nearer" title="Nearer (+)" onClick={() => zoom(1.5)}>
            <Icon name="plus" size={16} />
          </button>
          <button class="tool" aria-label="Farther" title="Farther (−)" onClick={() => zoom(1 / 1.5)}>
            <Icon name="minus" size={16} />
          </button>
          <button class="tool" aria-label="Show all" title="Show all (0)" disabled={!moved} onClick={() => setMoved(null)}>
            <Icon name="frame" size={16} />
          </button>
        </div>
      </div>
      <Legend />
    </figure>
  )
}

function wordsOf({ scene, title }: Spot, middle: string) {
  if (scene.key === middle) return `${title}, the scene in the middle`
  if (!scene.pose) return `${title}: nobody knows where it is`
  const [x, , z] = scene.pose.translation
  return `${title}, at ${x.toFixed(1)}, ${z.toFixed(1)} m, σ ${((scene.sigma_t_m ?? 0) * 100).toFixed(1)} cm`
}
