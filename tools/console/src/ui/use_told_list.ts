// A list that is read as a whole, and what happens to its records while a screen shows it.
import { useEffect, useState } from 'preact/hooks'
import { watchTopic } from '../live/client'
import type { Topic } from '../live/protocol'
import { type List, useList } from './use_list'

// `read` and `textOf` are functions of a module: they never change.
export function useToldList<T extends { key: string }>(
  topic: Topic,
  read: (start: number, signal: AbortSignal) => Promise<T[]>,
  textOf: (record: T) => string,
): List<T> {
  // What was told since the list was asked for: the newest state of each, null: it is gone.
  const [told, setTold] = useState<ReadonlyMap<string, T | null>>(new Map())
  const list = useList(read, textOf, told)
  const { again } = list
  useEffect(() => {
    return watchTopic(topic, ({ reset, changes }) => {
      if (reset) again() // a list that was read before may lack what happened in between
      const news = changes.map(({ key, record }) => [key, record as T | null] as const)
      if (reset || news.length) setTold(old => new Map([...(reset ? [] : old), ...news]))
    })
  }, [topic, again])
  return list
}
