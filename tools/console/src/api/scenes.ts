// The scenes that one may see, a page at a time.
import { page } from '../ui/use_list'
import { askJson } from './http'
import type { Scene } from './types'

export async function readScenes(start: number, signal: AbortSignal) {
  const body = { scenes: [{}], num_records: page, start_record: start }
  const answer = await askJson<{ scenes: Scene[] }>('POST', '/v1/scene/query', { body, signal })
  return answer.scenes
}

export function sceneText(scene: Scene) {
  return [scene.key, scene.name, scene.region, scene.description, ...(scene.tags ?? [])].join(' ')
}
