// The answer to a question of a screen: undefined while it is under way, and what refused it.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { isAway, waitOf } from '../api/http'

export interface Answer<T> {
  value?: T | undefined
  failure?: Error | undefined
  again: () => void
}

export function useAnswer<T>(question: (signal: AbortSignal) => Promise<T>, of: unknown[]): Answer<T> {
  const [state, setState] = useState<{ value?: T; failure?: Error; of?: string }>({})
  const [turn, setTurn] = useState(0)
  const name = JSON.stringify(of)
  useEffect(() => {
    const stop = new AbortController()
    let timer = 0
    question(stop.signal).then(
      value => setState({ value, of: name }),
      (failure: Error) => {
        if (stop.signal.aborted) return
        setState(old => ({ ...(old.of === name ? old : {}), failure, of: name }))
        if (isAway(failure)) timer = window.setTimeout(() => setTurn(turn => turn + 1), waitOf(failure))
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
