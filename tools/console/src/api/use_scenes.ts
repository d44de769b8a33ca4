// The scenes that one may see, and what happens to them while a screen shows them.
import { useEffect, useState } from 'preact/hooks'
import { watchScenes } from '../live/client'
import { type List, useList } from '../ui/use_list'
import { readScenes, sceneText } from './scenes'
import type { Scene } from './types'

export function useScenes(): List<Scene> {
  // What was told since the list was asked for: the newest state of each, null: it is gone.
  const [told, setTold] = useState<ReadonlyMap<string, Scene | null>>(new Map())
  const list = useList(readScenes, sceneText, told)
  const { again } = list
  useEffect(() => {
    return watchScenes(({ reset, changes }) => {
      if (reset) again() // a list that was read before may lack what happened in between
      if (reset || changes.length) setTold(old => new Map([...(reset ? [] : old), ...changes.map(({ key, scene }) => [key, scene] as const)]))
    })
  }, [again])
  return list
}
