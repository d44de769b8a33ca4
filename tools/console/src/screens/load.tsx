// What the server did in the last minutes, for those who may know.
import type { Sample } from '../live/protocol'
import { type Name, SECONDS } from '../live/samples'
import { Chart } from '../ui/chart'
import { sizeOf } from '../ui/units'

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const count = (value: number) => number.format(value)
const rate = (value: number) => `${number.format(value)}/s`
const time = (value: number) => `${number.format(value)} ms`

// Title, how a value is written, and the series: what it is called, and its name.
type Plan = [string, (value: number) => string, [string, Name][]]

export const ofServer: Plan[] = [
  ['Requests', rate, [['', 'http_requests']]],
  ['Request time', time, [['p50', 'http_p50'], ['p99', 'http_p99']]],
  ['Changes of scenes', rate, [['', 'events']]],
  ['Datagrams', rate, [['in', 'udp_in'], ['out', 'udp_out']]],
  ['Commits', rate, [['', 'commits']]],
  ['Commit time', time, [['p99', 'commit_p99']]],
  ['Memory', sizeOf, [['', 'memory']]],
  ['Processor', value => `${number.format(value)} %`, [['', 'processor']]],
]

export const ofOverview: Plan[] = [
  ['Requests', rate, [['all', 'http_requests'], ['refused', 'http_client_errors']]],
  ['Request time', time, [['p50', 'http_p50'], ['p99', 'http_p99']]],
  ['Changes', rate, [['in', 'events'], ['out', 'stream_events']]],
  ['Connected', count, [['devices', 'devices'], ['streams', 'streams']]],
]

interface Shown {
  series: NonNullable<Sample['series']>
  charts: Plan[]
}

export function Load({ series, charts }: Shown) {
  return (
    <section aria-labelledby="load">
      <h2 id="load">The last ten minutes</h2>
      <div class={charts.length > 4 ? 'charts' : 'charts few'}>
        {charts.map(([title, format, lines]) => (
          <Chart key={title} title={title} curves={lines.map(([name, of]) => ({ name, values: series[of] ?? [] }))} seconds={SECONDS} format={format} />
        ))}
      </div>
    </section>
  )
}
