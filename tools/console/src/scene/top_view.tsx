// The scene from above, in two dimensions: where there is no WebGL.
import { useEffect, useRef } from 'preact/hooks'
import { POSE } from '../live/protocol'
import { nameOf, type SceneModel } from './model'

export function TopView({ model }: { model: SceneModel }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    let frame = 0
    const pose = new Float64Array(POSE)
    const draw = () => {
      frame = requestAnimationFrame(draw)
      const { current } = canvas
      const context = current?.getContext('2d')
      if (!current || !context) return
      const { clientWidth: width, clientHeight: height } = current
      if (current.width !== width || current.height !== height) [current.width, current.height] = [width, height]
      const style = getComputedStyle(document.documentElement)
      const shown = [...model.entries.values()].filter(entry => entry.kind !== 'property')
      let most = 5
      for (const entry of shown) {
        const at = model.newest(entry.index)
        most = Math.max(most, Math.abs(at[0]!), Math.abs(at[2]!))
      }
      const scale = Math.min(width, height) / 2.2 / most
      context.clearRect(0, 0, width, height)
      for (const entry of shown) {
        model.poseAt(entry.index, performance.now(), pose)
        const isSelected = model.selected.peek() === nameOf(entry.kind, entry.key)
        context.fillStyle = style.getPropertyValue(isSelected ? '--accent' : entry.kind === 'device' ? '--good' : '--faint')
        const half = isSelected ? 6 : 4
        context.fillRect(width / 2 + pose[0]! * scale - half, height / 2 + pose[2]! * scale - half, half * 2, half * 2)
      }
    }
    frame = requestAnimationFrame(draw)
    return () => cancelAnimationFrame(frame)
  }, [model])
  return (
    <>
      <canvas class="canvas" ref={canvas} role="img" aria-label="The scene from above" />
      <p class="stage-news" role="status">
        This browser has no WebGL: the scene is shown from above.
      </p>
    </>
  )
}
