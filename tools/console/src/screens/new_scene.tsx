// The making of a new scene, on the map with its place.
import { useState } from 'preact/hooks'
import { ask, faultsOf, path, statusOf, refusalOf } from '../api/http'
import { go, href } from '../app/router'
import { Dialog } from '../ui/dialog'
import { Field } from '../ui/field'

interface NewSceneProps {
  onClose: () => void
  place?: { latitude: string; longitude: string }
}

// What is no number goes as it was typed: the server says so at its field.
const numberOf = (text: string) => (text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text))

export function NewScene({ onClose, place }: NewSceneProps) {
  const [name, setName] = useState('')
  const [key, setKey] = useState('')
  const [latitude, setLatitude] = useState(place?.latitude ?? '')
  const [longitude, setLongitude] = useState(place?.longitude ?? '')
  const [failure, setFailure] = useState<Error | null>(null)
  const wish = key || name.trim().toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')

  async function make(event: Event) {
    event.preventDefault()
    const where = place ? { latitude: numberOf(latitude), longitude: numberOf(longitude) } : {}
    try {
      await ask('PUT', `${path`/v1/scene/${wish}`}?strict=true`, { body: { scenes: [{ name, ...where }] }, headers: { 'If-None-Match': '*' } })
      go(href('scene', wish))
    } catch (problem) {
      setFailure(problem as Error)
    }
  }

  return (
    <Dialog title="New scene" onClose={onClose}>
      <form onSubmit={event => void make(event)}>
        <Field label="Name" value={name} onInput={setName} pointer="/name" failure={failure} required first />
        <Field label="Key" value={key} onInput={setKey} pointer="/scene" failure={failure} placeholder={wish}
          note="Devices and programs find the scene by it." />
        {place && (
          <div class="pair">
            <Field label="Latitude" value={latitude} onInput={setLatitude} pointer="/latitude" failure={failure} />
            <Field label="Longitude" value={longitude} onInput={setLongitude} pointer="/longitude" failure={failure} />
          </div>
        )}
        {failure && faultsOf(failure).length === 0 && (
          <p class="refusal" role="alert">
            {statusOf(failure) === 412 ? `There is a scene with the key ${wish} already.` : refusalOf(failure)}
          </p>
        )}
        <footer>
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button main" disabled={!wish}>
            Make it
          </button>
        </footer>
      </form>
    </Dialog>
  )
}
