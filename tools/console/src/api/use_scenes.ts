// The scenes that one may see, and what happens to them while a screen shows them.
import type { List } from '../ui/use_list'
import { useToldList } from '../ui/use_told_list'
import { readScenes, sceneText } from './scenes'
import type { Scene } from './types'

export function useScenes(): List<Scene> {
  return useToldList('scenes', readScenes, sceneText)
}
