// What pointers and wheels do to the map. Two fingers zoom.
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Spot } from './mercator'

interface Acts {
  draws: boolean // dragging draws a circle instead of moving the map; Shift does so too
  pan: (x: number, y: number) => void
  zoom: (at: Spot, factor: number) => void
  stretch: (from: Spot, to: Spot) => void
  stretched: (from: Spot, to: Spot) => void
  click: (at: Spot) => void
  double: (at: Spot) => void
}

const STILL = 5 // pixels that a click may move

export function useGestures(canvas: RefObject<HTMLCanvasElement>, acts: Acts) {
  const newest = useRef(acts)
  newest.current = acts
  useEffect(() => {
    const box = canvas.current
    if (!box) return
    const end = new AbortController()
    const fingers = new Map<number, Spot>()
    let from: Spot | null = null
    let moves = false
    let draws = false
    const spot = (event: MouseEvent): Spot => ({ x: event.offsetX, y: event.offsetY })
    const down = (event: PointerEvent) => {
      if (event.button !== 0) return
      fingers.set(event.pointerId, spot(event))
      if (fingers.size > 1) return void (from = null)
      from = spot(event)
      moves = false
      draws = newest.current.draws || event.shiftKey
      box.setPointerCapture(event.pointerId)
    }
    const move = (event: PointerEvent) => {
      const before = fingers.get(event.pointerId)
      if (!before) return
      const at = spot(event)
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
      fingers.set(event.pointerId, at)
      if (other) {
        const apart = (one: Spot) => Math.max(20, Math.hypot(one.x - other.x, one.y - other.y))
        newest.current.zoom({ x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 }, apart(at) / apart(before))
      } else if (from && (moves || Math.hypot(at.x - from.x, at.y - from.y) > STILL)) {
        if (draws) newest.current.stretch(from, at)
        else newest.current.pan(at.x - (moves ? before.x : from.x), at.y - (moves ? before.y : from.y))
        moves = true
      }
    }
    const up = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId) || !from) return
      if (!moves && event.type === 'pointerup') newest.current.click(from)
      else if (moves && draws) newest.current.stretched(from, spot(event))
      from = null
    }
    const wheel = (event: WheelEvent) => {
      event.preventDefault()
      newest.current.zoom(spot(event), Math.exp(-event.deltaY * (event.deltaMode ? 16 : 1) * (event.ctrlKey ? 0.01 : 0.0022)))
    }
    const on = (name: string, act: (event: never) => void) => box.addEventListener(name, act as EventListener, { signal: end.signal, passive: false })
    on('pointerdown', down)
    on('pointermove', move)
    on('pointerup', up)
    on('pointercancel', up)
    on('wheel', wheel)
    on('dblclick', (event: MouseEvent) => newest.current.double(spot(event)))
    return () => end.abort()
  }, [])
}
