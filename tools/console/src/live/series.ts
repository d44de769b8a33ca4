// The series of the server (GET /v1/server/series): all of the last minutes once, then what is new.
import { useEffect, useState } from 'preact/hooks'
import { askJson } from '../api/http'

export const SECONDS = 600
const EACH_MS = 2000

export type Values = (number | null)[]

export interface Series {
  until_us: number
  units: Record<string, string>
  series: Record<string, Values>
}

// What was known, and what came behind it. Seconds of which nothing came are unknown.
export function joined(old: Series, fresh: Series): Series {
  const passed = Math.round((fresh.until_us - old.until_us) / 1e6)
  if (passed < 0) return fresh // the calendar of the server was set
  const series: Record<string, Values> = {}
  for (const [name, values] of Object.entries(fresh.series)) {
    const added = passed === 0 ? [] : values.slice(-passed)
    const gap: Values = Array(Math.min(passed - added.length, SECONDS)).fill(null)
    series[name] = [...(old.series[name] ?? []), ...gap, ...added].slice(-SECONDS)
  }
  return { ...fresh, series }
}

// null: nothing is known, or the caller may not know (`isOpen`: whether they may).
export function useSeries(names: readonly string[], isOpen: boolean): Series | null {
  const [known, setKnown] = useState<Series | null>(null)
  useEffect(() => {
    let timer = 0
    let ended = false
    let last: Series | null = null
    let asked = 0
    async function look() {
      const now = performance.now()
      const seconds = last ? Math.min(Math.ceil((now - asked) / 1000) + 2, SECONDS) : SECONDS
      try {
        const fresh = await askJson<Series>('GET', `/v1/server/series?names=${names.join(',')}&seconds=${seconds}`)
        if (ended) return
        last = last ? joined(last, fresh) : fresh
        asked = now
        setKnown(last)
      } catch {
        // The screen asks for more than this, and says what is wrong.
      }
      if (!ended) timer = window.setTimeout(() => void look(), EACH_MS)
    }
    if (isOpen) void look()
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [isOpen])
  return known
}
