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

// What is known of some records since: null, it is gone.
type Told<T> = ReadonlyMap<string, T | null>

function changed<T extends { key: string }>(records: T[], told: Told<T>): T[] {
  const rest = new Map(told)
  const known = records.flatMap(record => {
    const now = rest.get(record.key)
    rest.delete(record.key)
    return now === undefined ? [record] : now ? [{ ...record, ...now }] : []
  })
  return [...known, ...[...rest.values()].filter(record => record !== null)]
}

// `read` and `textOf` are functions of a module: they never change.
export function useList<T extends { key: string }>(
  read: (start: number, signal: AbortSignal) => Promise<T[]>,
  textOf: (record: T) => string,
  told?: Told<T>,
): List<T> {
  const asked = useAnswer(signal => allPages(read, signal), [])
  const value = useMemo(() => asked.value && told?.size ? changed(asked.value, told) : asked.value, [asked.value, told])
  const answer = { ...asked, value }
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
