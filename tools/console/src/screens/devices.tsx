// The devices of all scenes that one may see, and how the feeds of one's own fare.
import { useEffect, useState } from 'preact/hooks'
import { ask, askJson, path, refusalOf } from '../api/http'
import type { DeviceReport } from '../api/types'
import { href } from '../app/router'
import { Dialog } from '../ui/dialog'
import { Filter, NothingFits } from '../ui/filter'
import { Empty, Loading, Refused } from '../ui/states'
import { say } from '../ui/toast'
import { agoOf } from '../ui/units'
import { page, useList } from '../ui/use_list'
import { marks } from './device_state'

const EACH_MS = 5000

function readDevices(start: number, signal: AbortSignal) {
  return askJson<DeviceReport[]>('GET', `/v1/device?num_records=${page}&start_record=${start}`, { signal })
}

function textOf(device: DeviceReport) {
  return [device.key, device.scene, device.state, device.form, device.convention, device.address, device.alignment?.status].join(' ')
}

export function Devices() {
  const { value, failure, again, filter, shown } = useList(readDevices, textOf)
  const [ending, setEnding] = useState<DeviceReport | null>(null)
  const isFew = value !== undefined && value.length <= page
  useEffect(() => {
    const timer = isFew && setInterval(() => document.hidden || again(), EACH_MS)
    return () => void (timer && clearInterval(timer))
  }, [isFew])

  if (failure && !value) return <Refused failure={failure} what="these devices" again={again} />
  if (!value) return <Loading what="devices" />
  return (
    <div class="page">
      <div class="tools">
        <Filter by="key, scene or state" of="devices" filter={filter} shown={shown.length} all={value.length} />
      </div>
      {value.length === 0 ? (
        <Empty icon="devices" title="No devices yet">
          <p>A device is a headset, a robot or a program that takes part in a scene. It registers itself, or you do it:</p>
          <pre class="code">diorama scene register plaza key=phone</pre>
          <a class="button main" href={href('scenes')}>
            To the scenes
          </a>
        </Empty>
      ) : shown.length === 0 ? (
        <NothingFits all={value.length} />
      ) : (
        <Table devices={shown} end={setEnding} />
      )}
      {ending && <End device={ending} again={again} onClose={() => setEnding(null)} />}
    </div>
  )
}

function Table({ devices, end }: { devices: DeviceReport[]; end: (device: DeviceReport) => void }) {
  const [most, setMost] = useState(200)
  return (
    <>
      <div class="table-box" role="region" aria-label="Devices" tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th>Device</th>
              <th>Feed</th>
              <th class="wide-only">Form</th>
              <th class="wide-only">Address</th>
              <th class="wide-only">Sent</th>
              <th class="wide-only">Lost</th>
              <th class="wide-only">Heard</th>
              <th>
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {devices.slice(0, most).map(device => (
              <Row key={device.place} device={device} end={end} />
            ))}
          </tbody>
        </table>
      </div>
      {devices.length > most && (
        <button class="button wide" onClick={() => setMost(most + 500)}>
          Show more
        </button>
      )}
    </>
  )
}

function Row({ device, end }: { device: DeviceReport; end: (device: DeviceReport) => void }) {
  return (
    <tr>
      <td class="device-name">
        <strong class="mono">{device.key}</strong>
        <br />
        <a href={href('scene', device.scene)}>{device.scene}</a>
      </td>
      <td>
        <Feed device={device} />
      </td>
      <td class="wide-only">{[device.form, device.rate && `${device.rate} Hz`, device.convention].filter(Boolean).join(' · ')}</td>
      <td class="mono wide-only">{device.address}</td>
      <td class="wide-only">{rateOf(device.sent_s)}</td>
      <td class="wide-only">{rateOf(device.lost_s)}</td>
      <td class="wide-only">{device.heard_us ? agoOf(device.heard_us) : ''}</td>
      <td>
        {device.state && (
          <button class="quiet" aria-label={`End ${device.key} in ${device.scene}`} onClick={() => end(device)}>
            End
          </button>
        )}
      </td>
    </tr>
  )
}

function Feed({ device }: { device: DeviceReport }) {
  if (!device.state) return <span class="faint">of another user</span>
  const [sign, tone, words] = marks[device.state] ?? ['?', 'faint', '']
  return (
    <span title={words}>
      <span class={tone} aria-hidden="true">
        {sign}
      </span>{' '}
      {device.state}
      {device.behind ? ', behind' : ''}
    </span>
  )
}

function rateOf(perSecond: number | undefined) {
  if (perSecond === undefined) return ''
  return `${perSecond >= 10 || perSecond === 0 ? Math.round(perSecond) : perSecond.toFixed(1)}/s`
}

function End({ device, again, onClose }: { device: DeviceReport; again: () => void; onClose: () => void }) {
  async function end(event: Event) {
    event.preventDefault()
    try {
      await ask('DELETE', path`/v1/scene/${device.scene}/device/${device.key}`)
      say(`${device.key} has left ${device.scene}.`)
    } catch (failure) {
      say(refusalOf(failure), true)
    }
    onClose()
    again()
  }
  return (
    <Dialog title={`End ${device.key}`} onClose={onClose}>
      <form onSubmit={event => void end(event)}>
        <p>It leaves {device.scene}, its feed ends and so do its locks. It may register again.</p>
        <footer>
          <button class="button" type="button" onClick={onClose}>
            Cancel
          </button>
          <button class="button danger">End it</button>
        </footer>
      </form>
    </Dialog>
  )
}
