// The pose of a thing, ten times a second while it changes: in the axes of scenes, or as the server
// tells it in others.
import { useEffect, useState } from 'preact/hooks'
import { askJson, path } from '../api/http'
import type { Device, Thing } from '../api/types'
import { poseOfDevice, poseOfMatrix } from '../live/matrix'
import { type Entry, POSE } from '../live/protocol'
import { asked } from './convention'
import type { SceneModel } from './model'

const FOLLOW_MS = 100
const ASK_MS = 400

async function turned(scene: string, entry: Entry, axes: string): Promise<Float64Array> {
  const pose = new Float64Array(POSE)
  if (entry.kind === 'object') {
    const { objects } = await askJson<{ objects: Thing[] }>('GET', `${path`/v1/scene/${scene}/object/${entry.key}`}?${axes}`)
    poseOfMatrix(objects[0]!.transform, pose, 0)
  } else {
    const { scenes } = await askJson<{ scenes: { devices?: Device[] }[] }>('GET', `${path`/v1/scene/${scene}`}?${axes}`)
    const { transform } = scenes[0]?.devices?.find(device => device.key === entry.key) ?? {}
    if (transform) poseOfDevice(transform.translation, transform.rotation, pose, 0)
  }
  return pose
}

// The axes of what is shown: the past is known in those of scenes alone.
export const axesOf = (model: SceneModel) => (model.isPast.value ? '' : asked())

export function usePose(model: SceneModel, entry: Entry): Float64Array {
  const { index } = entry
  const [pose, setPose] = useState(() => model.newest(index).slice())
  const axes = axesOf(model)
  useEffect(() => {
    let ended = false
    let isBusy = false
    let last = ''
    const show = (now: Float64Array) => setPose(old => (old.every((value, i) => value === now[i]) ? old : now.slice()))
    const look = () => {
      const now = model.newest(index)
      if (!axes) return show(now)
      if (isBusy || now.join() === last) return
      isBusy = true
      const mark = now.join()
      turned(model.scene, entry, axes).then(
        pose => {
          last = mark
          if (!ended) show(pose)
        },
        () => {}, // it is asked again
      ).finally(() => (isBusy = false))
    }
    look()
    const timer = setInterval(look, axes ? ASK_MS : FOLLOW_MS)
    return () => {
      ended = true
      clearInterval(timer)
    }
  }, [model, index, axes])
  return pose
}
