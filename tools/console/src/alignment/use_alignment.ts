// What the server knows of the alignment around a scene, looked at again every few seconds and
// after each change, until a newer solution is there.
import { useEffect, useRef, useState } from 'preact/hooks'
import { askJson, isAway, path, statusOf, waitOf } from '../api/http'
import type { AlignmentReport, Graph } from '../api/types'
import { changesOf } from './words'

const EACH_MS = 5000
const LOOK_MS = 150 // after a change
const SOLVED_MS = 10000 // so long its solution is waited for

interface Known {
  of: string
  graph?: Graph
  report?: AlignmentReport
  failure?: Error
}

export interface Around extends Omit<Known, 'of'> {
  news: string[] // what the last change did
  solves: boolean // a change waits for its solution
  again: () => void
  forget: () => void // the news
  change: (write: () => Promise<unknown>) => Promise<void> // fails as the write does
}

export function readReport(scene: string, signal?: AbortSignal) {
  return askJson<AlignmentReport>('GET', path`/v1/scene/${scene}/alignment`, signal && { signal })
}

function readGraph(scene: string, hops: number, signal?: AbortSignal) {
  return askJson<Graph>('GET', path`/v1/alignment/graph?scene=${scene}&hops=${String(hops)}`, signal && { signal })
}

const sleep = (ms: number) => new Promise(done => setTimeout(done, ms))

export function useAlignment(scene: string, hops: number, titles: Map<string, string>): Around {
  const of = `${hops} ${scene}`
  const [known, setKnown] = useState<Known>({ of })
  const [news, setNews] = useState<string[]>([])
  const [solves, setSolves] = useState(false)
  const [turn, setTurn] = useState(0)
  const newest = useRef(known)
  newest.current = known
  useEffect(() => setNews([]), [of])

  useEffect(() => {
    const stop = new AbortController()
    let timer = 0
    async function look() {
      const old: Known = newest.current.of === of ? newest.current : { of }
      let wait = EACH_MS
      if (!document.hidden || !old.graph)
        try {
          const report = await readReport(scene, stop.signal)
          const isOld = !old.graph || old.failure || report.as_of_us !== old.report?.as_of_us || report.epoch !== old.report?.epoch
          const graph = isOld ? await readGraph(scene, hops, stop.signal) : old.graph!
          setKnown({ of, graph, report })
        } catch (failure) {
          if (stop.signal.aborted) return
          setKnown({ ...old, failure: failure as Error })
          if (isAway(failure)) wait = waitOf(failure)
          else if (statusOf(failure) < 500) return
        }
      timer = window.setTimeout(() => void look(), wait)
    }
    void look()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [of, turn])

  async function change(write: () => Promise<unknown>) {
    const before = await Promise.all([readGraph(scene, hops), readReport(scene)])
    await write()
    void follow(...before)
  }

  // Until there is a solution that is newer than what was known before the change.
  async function follow(before: Graph, { as_of_us }: AlignmentReport) {
    setSolves(true)
    setNews([])
    try {
      const end = performance.now() + SOLVED_MS
      let report = await readReport(scene)
      while (report.as_of_us === as_of_us && performance.now() < end) {
        setKnown(old => (old.of === of ? { ...old, report } : old))
        await sleep(LOOK_MS)
        report = await readReport(scene)
      }
      const graph = await readGraph(scene, hops)
      setKnown(old => (old.of === of ? { of, graph, report } : old))
      if (newest.current.of !== of) return
      setNews(report.as_of_us === as_of_us ? ['The server has not solved it yet. The picture follows.'] : changesOf(before, graph, titles))
    } catch {
      setTurn(turn => turn + 1) // it was written; the next look tells what cannot be read
    } finally {
      setSolves(false)
    }
  }

  const current = known.of === of ? known : {}
  return { ...current, news, solves, again: () => setTurn(turn => turn + 1), forget: () => setNews([]), change }
}
