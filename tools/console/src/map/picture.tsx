// The map as one sees it: it is drawn on a canvas, by code that comes when it is first wanted.
import { useEffect, useRef, useState } from 'preact/hooks'
import { isDark } from '../app/theme'
import { type Mark, markAt } from './cells'
import type { Circle, Colors, Shown } from './drawing'
import { useGestures } from './gestures'
import { fitted, kilometresBetween, type Look, panned, type Place, placeOf, type Size, type Spot, zoomed } from './mercator'

export type Tool = 'look' | 'circle' | 'pin'

export interface PictureProps {
  look: Look
  size: Size
  marks: Mark[]
  near: string
  circle: Circle | null
  pin: Place | null
  tool: Tool
  setLook: (look: Look) => void
  drawCircle: (circle: Circle) => void // while one draws it
  findCircle: (circle: Circle) => void
  dropPin: (place: Place) => void
  pick: (mark: Mark | undefined) => void
  leave: () => void // Escape
}

type Drawing = typeof import('./drawing')

function colors(): Colors {
  const style = getComputedStyle(document.documentElement)
  const of = (name: string) => style.getPropertyValue(name).trim()
  return {
    sea: of('--sea'), land: of('--land'), coast: of('--coast'), grid: of('--map-grid'), faint: of('--faint'), accent: of('--accent'),
    accentInk: of('--accent-ink'), ink: of('--ink'),
  }
}

export function Picture(props: PictureProps) {
  const { look, size, marks, near, circle, pin, tool } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  const [hasFocus, setFocus] = useState(false)
  const frame = useRef(0)
  useEffect(() => {
    let ended = false
    void import('./drawing').then(loaded => ended || setDrawing(loaded))
    return () => {
      ended = true
      cancelAnimationFrame(frame.current)
    }
  }, [])

  const dark = isDark.value
  useEffect(() => {
    if (!drawing) return
    cancelAnimationFrame(frame.current)
    frame.current = requestAnimationFrame(() => {
      const { current } = canvas
      const context = current?.getContext('2d')
      if (!current || !context) return
      const density = Math.min(devicePixelRatio, 2)
      const [wide, high] = [Math.round(size.width * density), Math.round(size.height * density)]
      if (current.width !== wide || current.height !== high) [current.width, current.height] = [wide, high]
      context.setTransform(density, 0, 0, density, 0, 0)
      const shown: Shown = { look, size, marks, near, circle, pin, cross: hasFocus && tool !== 'look' }
      drawing.draw(context, shown, colors())
      current.dataset['drawn'] = String(Number(current.dataset['drawn'] ?? 0) + 1)
    })
  }, [drawing, look, size.width, size.height, marks, near, circle, pin, hasFocus, tool, dark])

  const circleOf = (from: Spot, to: Spot): Circle => {
    const middle = placeOf(from, look, size)
    return { ...middle, km: kilometresBetween(middle, placeOf(to, look, size)) }
  }
  useGestures(canvas, {
    draws: tool === 'circle',
    pan: (x, y) => props.setLook(panned(look, size, x, y)),
    zoom: (at, factor) => props.setLook(zoomed(look, size, at, factor)),
    stretch: (from, to) => props.drawCircle(circleOf(from, to)),
    stretched: (from, to) => props.findCircle(circleOf(from, to)),
    click: at => (tool === 'pin' ? props.dropPin(placeOf(at, look, size)) : props.pick(markAt(marks, at))),
    double: at => props.setLook(zoomed(look, size, at, 3)),
  })

  function onKey(event: KeyboardEvent) {
    const middle = { x: size.width / 2, y: size.height / 2 }
    const enter = () => {
      if (tool === 'pin') props.dropPin(look)
      else if (tool === 'circle') props.findCircle(circleOf(middle, { x: middle.x, y: middle.y - size.height / 4 }))
      else props.pick(markAt(marks, middle))
    }
    const moves: Record<string, () => void> = {
      ArrowLeft: () => props.setLook(panned(look, size, 60, 0)),
      ArrowRight: () => props.setLook(panned(look, size, -60, 0)),
      ArrowUp: () => props.setLook(panned(look, size, 0, 60)),
      ArrowDown: () => props.setLook(panned(look, size, 0, -60)),
      '+': () => props.setLook(zoomed(look, size, middle, 1.5)),
      '=': () => props.setLook(zoomed(look, size, middle, 1.5)),
      '-': () => props.setLook(zoomed(look, size, middle, 1 / 1.5)),
      '0': () => props.setLook(fitted([], size)),
      Enter: enter,
      Escape: props.leave,
    }
    if (!moves[event.key] || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    moves[event.key]!()
  }

  return (
    <canvas ref={canvas} class={`map-canvas ${tool}`} role="application" tabIndex={0} onKeyDown={onKey} onFocus={() => setFocus(true)} onBlur={() => setFocus(false)}
      aria-label="Map of the scenes. Arrow keys move it, plus and minus zoom, 0 shows the world, Enter finds a circle around the middle or drops a pin there. The list beside it says what is in view." />
  )
}
