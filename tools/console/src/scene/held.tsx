// Who holds a thing and until when, and what one can do about it: ask, take over, keep, let go.
import { useEffect, useRef, useState } from 'preact/hooks'
import { serverNow } from '../api/http'
import type { Lock } from '../api/types'
import { Icon } from '../ui/icon'
import { say } from '../ui/toast'
import type { Edits } from './edits'
import { holderWords } from './leases'
import type { SceneModel } from './model'

// 0:12, or nothing where the lock has no end.
function Left({ until }: { until: number | undefined }) {
  const [, tick] = useState(0)
  useEffect(() => {
    if (until === undefined) return
    const timer = setInterval(() => tick(count => count + 1), 1000)
    return () => clearInterval(timer)
  }, [until === undefined])
  if (until === undefined) return null
  const left = Math.max(0, Math.ceil(until / 1e6 - serverNow() / 1000))
  return (
    <span class="count" title="Left, if its holder does not go on">
      {Math.floor(left / 60)}:{String(left % 60).padStart(2, '0')}
    </span>
  )
}

export function Held({ edits, objectKey, title, lock }: { edits: Edits; objectKey: string; title: string; lock: Lock | undefined }) {
  const { leases } = edits
  const [isBusy, setBusy] = useState(false)
  const wanted = useRef(false) // somebody here has asked for it
  const other = lock && lock.holder !== edits.device
  useEffect(() => {
    if (wanted.current && !other) say(`${title} is free now.`)
    if (!other) wanted.current = false
  }, [!!other])
  async function act(work: () => Promise<unknown>) {
    setBusy(true)
    try {
      await work()
    } catch (failure) {
      edits.tell(failure, objectKey)
    }
    setBusy(false)
  }
  const isOff = isBusy || edits.why.value !== ''
  if (other)
    return (
      <div class="held">
        <p>
          <Icon name="lock" size={15} />
          <span>
            Held by <strong>{holderWords(lock)}</strong>
          </span>
          <Left until={lock.until_us} />
        </p>
        <button class="button small" disabled={isOff} onClick={() => void act(async () => {
          await leases.askFor(objectKey)
          wanted.current = true
          say(`The holder is asked for ${title}.`)
        })}>
          Ask
        </button>
        <button class="button small" disabled={isOff} onClick={() => void act(() => leases.take(objectKey, 'keep', true))}>
          Take over
        </button>
      </div>
    )
  if (!leases.kept.value.has(objectKey)) return null
  return (
    <div class="held mine">
      <p>
        <Icon name="lock" size={15} />
        <span>You hold it while it is selected</span>
        <Left until={lock?.until_us} />
      </p>
    </div>
  )
}

// Keeps others from changing a thing for as long as it is selected here.
export function Keep({ edits, objectKey }: { edits: Edits; objectKey: string }) {
  const { leases } = edits
  const [isBusy, setBusy] = useState(false)
  const isKept = leases.kept.value.has(objectKey)
  function turn() {
    setBusy(true)
    const done = isKept ? leases.end(objectKey, 'keep') : leases.take(objectKey, 'keep')
    done.catch(failure => edits.tell(failure, objectKey)).finally(() => setBusy(false))
  }
  return (
    <button class="button" aria-pressed={isKept} disabled={isBusy} title="Others cannot change it while it is selected here" onClick={turn}>
      <Icon name="lock" size={15} /> {isKept ? 'Let go' : 'Hold'}
    </button>
  )
}

// Somebody asks for what this tab holds.
export function Asked({ model, edits }: { model: SceneModel; edits: Edits }) {
  const asked = model.asked.value
  const key = asked?.object ?? ''
  const lock = model.object(key)?.lock
  void model.structure.value
  if (!asked || asked.holder !== edits.device || lock?.holder !== edits.device) return null
  const answer = () => (model.asked.value = null)
  return (
    <div class="stage-news stage-asked" role="alert">
      <p>
        <strong>{holderWords({ holder: asked.device })}</strong> asks for <strong>{edits.titleOf(key)}</strong>
        {asked.message ? `: ${asked.message}` : '.'}
      </p>
      <button class="button main small" onClick={() => (answer(), void edits.leases.end(key))}>
        Give it
      </button>
      <button class="button small" onClick={answer}>
        Keep it
      </button>
    </div>
  )
}
