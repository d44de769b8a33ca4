// What pointers and wheels do to the picture of a graph.
import { useEffect, useRef } from 'preact/hooks'
import type { Eye, Point } from './layout'

// Dragging moves the picture, the wheel with Ctrl zooms it. Fingers scroll the page unless it is
// zoomed; buttons and keys do the same.
export function useGestures(svg: SVGSVGElement | null, eye: Eye, setEye: (eye: Eye) => void, zoom: (factor: number, at: Point) => void) {
  const newest = useRef({ eye, setEye, zoom })
  newest.current = { eye, setEye, zoom }
  useEffect(() => {
    if (!svg) return
    let held: { x: number; y: number; eye: Eye; moves: boolean } | null = null
    const down = (event: PointerEvent) => {
      const { eye } = newest.current
      if (event.button === 0 && (event.pointerType !== 'touch' || svg.classList.contains('moved'))) held = { x: event.clientX, y: event.clientY, eye, moves: false }
    }
    const move = (event: PointerEvent) => {
      if (!held) return
      const [x, y] = [event.clientX - held.x, event.clientY - held.y]
      if (!held.moves && Math.hypot(x, y) < 5) return
      if (!held.moves) svg.setPointerCapture(event.pointerId)
      held.moves = true
      newest.current.setEye({ ...held.eye, x: held.eye.x - x / held.eye.scale, z: held.eye.z - y / held.eye.scale })
    }
    const up = () => (held = null)
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      newest.current.zoom(Math.exp(-event.deltaY / 300), { x: event.offsetX, y: event.offsetY })
    }
    svg.addEventListener('pointerdown', down)
    svg.addEventListener('pointermove', move)
    svg.addEventListener('pointerup', up)
    svg.addEventListener('pointercancel', up)
    svg.addEventListener('wheel', wheel, { passive: false })
    return () => {
      svg.removeEventListener('pointerdown', down)
      svg.removeEventListener('pointermove', move)
      svg.removeEventListener('pointerup', up)
      svg.removeEventListener('pointercancel', up)
      svg.removeEventListener('wheel', wheel)
    }
  }, [svg])
}
