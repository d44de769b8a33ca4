/// <reference lib="esnext.disposable" preserve="true" />
import type { Entity } from './entity.js'
import { ApiError } from './errors.js'

// Engines without it have no `await using` either; release() does the same.
const disposal: { asyncDispose?: symbol } = Symbol as never
disposal.asyncDispose ??= Symbol.for('Symbol.asyncDispose')

/** The lease of an object. `isLost` tells that it ended although nobody released it, `lost` waits for that. */
export interface Lock extends AsyncDisposable {
  readonly fence: number
  readonly isLost: boolean
  readonly lost: Promise<void>
  release(): Promise<void>
}

interface Granted {
  fence: number
}

export async function takeLock(entity: Entity, leaseS: number, force: boolean): Promise<Lock> {
  const { http, device } = entity.scene
  const path = entity.scene.path('object', entity.key, 'lock')
  const lease = Math.max(1, Math.floor(leaseS))
  let until = 0, isLost = false, isOver = false
  let tell = (): void => {}
  const lost = new Promise<void>(done => { tell = done })

  const take = async (isForced: boolean): Promise<number> => {
    const asked = performance.now()
    const { fence } = await http.call<Granted>('PUT', path, { device, lease_s: lease, ...(isForced ? { force: true } : {}) })
    until = asked + lease * 1000 // not later than the server has it
    entity.fence = fence
    return fence
  }
  const lose = (): void => {
    isLost = isOver = true
    entity.fence = undefined
    clearInterval(timer)
    tell()
  }
  const renew = async (): Promise<void> => {
    try {
      await take(false)
    } catch (failure) {
      if (isOver) return
      const isRefused = failure instanceof ApiError && failure.status < 500 && failure.status !== 429
      if (isRefused || performance.now() >= until) lose()
    }
  }
  const fence = await take(force)
  const timer = setInterval(() => { if (!isOver) void renew() }, lease * 1000 / 3)
  const release = async (): Promise<void> => {
    if (isOver) return
    isOver = true
    clearInterval(timer)
    entity.fence = undefined
    await http.call('DELETE', path, undefined, { query: { device } })
  }
  return { fence, lost, release, get isLost() { return isLost }, [Symbol.asyncDispose]: release }
}
