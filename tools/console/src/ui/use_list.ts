// A list that is read as a whole, and what the words of the address leave of it.
import { useMemo } from 'preact/hooks'
import { place } from '../app/router'
import { type Answer, useAnswer } from './use_answer'

export const page = 1000
const most = 10 * page

// `read` answers the records of one page, from the one with this number on.
async function allPages<T>(read: (start: number, signal: AbortSignal) => Promise<T[]>, signal: AbortSignal) {
  const found: T[] = []
  for (;;) {
    const more = await read(found.length, signal)
    found.push(...more)
    if (more.length < page || found.length >= most) return found
  }
}

export interface List<T> extends Answer<T[]> {
  filter: string
  shown: T[] // those whose text has every word of the filter
}

// `read` and `textOf` are functions of a module: they never change.
export function useList<T>(read: (start: number, signal: AbortSignal) => Promise<T[]>, textOf: (record: T) => string): List<T> {
  const answer = useAnswer(signal => allPages(read, signal), [])
  const filter = place.value.query.get('q') ?? ''
  const shown = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
    return (answer.value ?? []).filter(record => {
      const text = textOf(record).toLowerCase()
      return words.every(word => text.includes(word))
    })
  }, [answer.value, filter])
  return { ...answer, filter, shown }
}
