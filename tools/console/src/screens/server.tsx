// The server: what it holds, how it is set, how much it may.
import { useEffect, useState } from 'preact/hooks'
import { askJson } from '../api/http'
import { href } from '../app/router'
import { Fact } from '../ui/fact'
import { Icon } from '../ui/icon'
import { Loading, Refused } from '../ui/states'
import type { Values } from '../live/protocol'
import type { Name } from '../live/samples'
import { useServer } from '../live/series'
import { sizeOf } from '../ui/units'
import { Load, ofServer } from './load'

interface Setting {
  name: string
  value: string
  default: string
  from: string
}

interface Server {
  version: string
  uptime_s: number
  auth: boolean
  locks_enforce: boolean
  udp: { host: string; port: number }
  pub: { endpoint: string; curve: boolean }
  disk: { free: number; reserve: number; read_only: boolean }
  counts: Record<string, number>
  budgets: Record<string, number>
  budget_units: Record<string, string> // of those that are no number of things
  settings?: Setting[]
}

const EACH_MS = 2000
const KEPT = 150 // samples: five minutes

// A count, its title, and the series of it.
const counted: [string, string, Name][] = [
  ['objects', 'Objects in memory', 'objects_loaded'],
  ['scenes', 'Scenes', 'scenes'],
  ['devices', 'Devices', 'devices'],
  ['streams', 'Streams', 'streams'],
]

function durationOf(seconds: number): string {
  const days = Math.floor(seconds / 86400)
  const hours = Math.floor((seconds % 86400) / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  if (days) return `${days} d ${hours} h`
  return hours ? `${hours} h ${minutes} min` : minutes ? `${minutes} min` : `${Math.round(seconds)} s`
}

// The last minutes of one number.
function Line({ values: all }: { values: Values }) {
  const values = all.filter(value => value !== null)
  if (values.length < 2) return <svg class="spark" aria-hidden="true" />
  const most = Math.max(...values)
  const least = Math.min(...values)
  const points = values.map((value, i) => `${((i / (values.length - 1)) * 100).toFixed(2)},${(27 - ((value - least) / (most - least || 1)) * 24).toFixed(2)}`)
  return (
    <svg class="spark" viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}

export function ServerScreen() {
  const [samples, setSamples] = useState<Server[]>([])
  const [failure, setFailure] = useState<Error | null>(null)
  const series = useServer().newest?.series
  useEffect(() => {
    let timer = 0
    let ended = false
    async function look() {
      try {
        const server = await askJson<Server>('GET', '/v1/server')
        if (ended) return
        setSamples(old => [...old.slice(1 - KEPT), server])
        setFailure(null)
      } catch (problem) {
        setFailure(problem as Error)
      }
      if (!ended) timer = window.setTimeout(() => void look(), EACH_MS)
    }
    void look()
    return () => {
      ended = true
      clearTimeout(timer)
    }
  }, [])
  const server = samples.at(-1)
  if (!server) return failure ? <Refused failure={failure} what="the server" /> : <Loading what="the server" />
  const number = new Intl.NumberFormat()
  const { disk } = server
  return (
    <div class={failure ? 'page dimmed' : 'page'}>
      {failure && (
        <p class="banner" role="alert">
          The server does not answer. What is shown was true before.
        </p>
      )}
      <ul class="tiles">
        {counted.map(([count, title, name]) => (
          <li class="tile" key={count}>
            <span class="tile-title">{title}</span>
            <strong>{number.format(server.counts[count] ?? 0)}</strong>
            <Line values={series?.[name] ?? samples.map(sample => sample.counts[count] ?? 0)} />
          </li>
        ))}
        <li class="tile">
          <span class="tile-title">Free disk</span>
          <strong>{sizeOf(disk.free)}</strong>
          <span class="note">{sizeOf(disk.reserve)} kept back</span>
        </li>
        <li class="tile">
          <span class="tile-title">Up for</span>
          <strong>{durationOf(server.uptime_s)}</strong>
          <span class="note">version {server.version}</span>
        </li>
      </ul>
      {series && <Load series={series} charts={ofServer} />}
      <div class="columns">
        <section class="box" aria-labelledby="ways">
          <h2 id="ways">How to reach it</h2>
          <dl class="facts">
            <Fact name="HTTP">
              <span class="mono">{location.origin}</span>
            </Fact>
            <Fact name="UDP">
              <span class="mono">
                {server.udp.host}:{server.udp.port}
              </span>
            </Fact>
            <Fact name="PUB">
              <span class="mono">{server.pub.endpoint || 'none'}</span> {server.pub.curve && 'with CURVE'}
            </Fact>
            <Fact name="Users">{server.auth ? 'log in' : 'none: everybody who reaches it may do everything'}</Fact>
            <Fact name="Locks">{server.locks_enforce ? 'are enforced' : 'are told, not enforced'}</Fact>
          </dl>
          <p class="note">
            <a href="/docs" target="_blank" rel="noreferrer">
              The interface
            </a>{' '}
            · <a href={href('scenes')}>Scenes</a>
          </p>
        </section>
        <section class="box" aria-labelledby="budgets">
          <h2 id="budgets">Budgets</h2>
          <dl class="facts">
            {Object.entries(server.budgets).map(([name, most]) => (
              <Fact key={name} name={name.replace(/_/g, ' ')}>
                {!most ? 'no limit' : server.budget_units[name] === 'bytes' ? sizeOf(most) : number.format(most)}
              </Fact>
            ))}
          </dl>
        </section>
      </div>
      {server.settings && <Settings settings={server.settings} />}
    </div>
  )
}

function Settings({ settings }: { settings: Setting[] }) {
  const [filter, setFilter] = useState('')
  const shown = settings.filter(setting => `${setting.name} ${setting.value}`.includes(filter))
  return (
    <section aria-labelledby="settings">
      <div class="tools">
        <h2 id="settings">Settings</h2>
        <label class="search">
          <Icon name="search" size={16} />
          <input type="search" placeholder={`Filter ${settings.length}`} aria-label="Filter settings" value={filter} onInput={event => setFilter(event.currentTarget.value)} />
        </label>
      </div>
      <div class="table-box" role="region" aria-label="Settings" tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th>Setting</th>
              <th>Value</th>
              <th>Default</th>
              <th>From</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(setting => (
              <tr key={setting.name} class={setting.from === 'default' ? '' : 'set'}>
                <td class="mono">{setting.name}</td>
                <td class="mono value">{setting.value || '–'}</td>
                <td class="mono">{setting.default || '–'}</td>
                <td>{setting.from}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
