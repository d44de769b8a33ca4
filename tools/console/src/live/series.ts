// What the server tells of itself each second, while a screen shows it (GET /v1/server/events).
import { useEffect, useState } from 'preact/hooks'
import { watchServer } from './client'
import type { Sample } from './protocol'
import { appended } from './samples'

export interface Server {
  newest: Sample | null // null: nothing was told yet; without `series` for those who may not know them
  isAway: boolean
}

export function useServer(): Server {
  const [server, setServer] = useState<Server>({ newest: null, isAway: false })
  useEffect(
    () =>
      watchServer(told =>
        setServer(old => {
          if ('isAway' in told) return { ...old, isAway: true }
          return { newest: told.isFirst || !old.newest ? told.sample : appended(old.newest, told.sample), isAway: false }
        }),
      ),
    [],
  )
  return server
}
