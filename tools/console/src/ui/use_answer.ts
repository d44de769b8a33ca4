// The answer to a question of a screen: undefined while it is under way, and what refused it.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { Problem } from '../api/http'

export interface Answer<T> {
  value?: T | undefined
  failure?: Problem | undefined
  again: () => void
}

export function useAnswer<T>(question: (signal: AbortSignal) => Promise<T>, of: unknown[]): Answer<T> {
  const [state, setState] = useState<{ value?: T; failure?: Problem; of?: string }>({})
  const [turn, setTurn] = useState(0)
  const name = JSON.stringify(of)
  useEffect(() => {
    const stop = new AbortController()
    let timer = 0
    question(stop.signal).then(
      value => setState({ value, of: name }),
      failure => {
        if (stop.signal.aborted) return
        const problem = failure instanceof Problem ? failure : new Problem(-1, 'The console failed', String(failure))
        setState(old => ({ ...(old.of === name ? old : {}), failure: problem, of: name }))
        if (problem.isAway) timer = window.setTimeout(() => setTurn(turn => turn + 1), Math.max(problem.retryAfter, 1) * 1000)
      },
    )
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [name, turn])
  const again = useCallback(() => setTurn(turn => turn + 1), [])
  const current = state.of === name ? state : {}
  return { value: current.value, failure: current.failure, again }
}
