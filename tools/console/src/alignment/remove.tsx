// Asks before a correction is removed, and says what the server has against it.
import { useState } from 'preact/hooks'
import { refusalOf } from '../api/http'
import type { Correction } from '../api/types'
import { Dialog } from '../ui/dialog'
import { centimetresOf } from '../ui/units'
import { reasonOf } from './words'

interface RemoveProps {
  correction: Correction
  title: string // of its scene
  remove: () => Promise<void>
  onClose: () => void
}

export function Remove({ correction, title, remove, onClose }: RemoveProps) {
  const [failure, setFailure] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const { device, residual_t_m } = correction

  async function go(event: Event) {
    event.preventDefault()
    setBusy(true)
    try {
      await remove()
      onClose()
    } catch (problem) {
      setFailure(problem as Error)
      setBusy(false)
    }
  }

  return (
    <Dialog title={`Remove the correction of ${device}?`} onClose={onClose}>
      <form onSubmit={event => void go(event)}>
        <p>
          What {device} said of where it stands in {title} goes for good
          {residual_t_m !== undefined && residual_t_m >= 0.001 && ` (it is ${centimetresOf(residual_t_m)} from the solution)`}. {reasonOf(correction)}
        </p>
        <p class="note">An earlier correction of the device counts again, if there is one. All relations that rest on it are solved anew.</p>
        {failure && (
          <p class="refusal" role="alert">
            {refusalOf(failure)}
          </p>
        )}
        <footer>
          <button class="button" type="button" onClick={onClose}>
            Keep it
          </button>
          <button class="button danger" disabled={isBusy}>
            Remove it
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
