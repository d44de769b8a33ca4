// What the server did in the last minutes, for those who may know.
import { SECONDS, type Series } from '../live/series'
import { Chart, type Curve } from '../ui/chart'
import { sizeOf } from '../ui/units'

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })
const rate = (value: number) => `${number.format(value)}/s`
const time = (value: number) => `${number.format(value)} ms`

// Title, how a value is written, and the series: what it is called, and its name.
const charts: [string, (value: number) => string, [string, string][]][] = [
  ['Requests', rate, [['', 'http_requests']]],
  ['Request time', time, [['p50', 'http_p50'], ['p99', 'http_p99']]],
  ['Changes of scenes', rate, [['', 'events']]],
  ['Datagrams', rate, [['in', 'udp_in'], ['out', 'udp_out']]],
  ['Commits', rate, [['', 'commits']]],
  ['Commit time', time, [['p99', 'commit_p99']]],
  ['Memory', sizeOf, [['', 'memory']]],
  ['Processor', value => `${number.format(value)} %`, [['', 'processor']]],
]

export const loadSeries = charts.flatMap(([, , lines]) => lines.map(([, name]) => name))

export function Load({ known }: { known: Series }) {
  return (
    <section aria-labelledby="load">
      <h2 id="load">The last ten minutes</h2>
      <div class="charts">
        {charts.map(([title, format, lines]) => {
          const curves: Curve[] = lines.map(([name, of]) => ({ name, values: known.series[of] ?? [] }))
          return <Chart key={title} title={title} curves={curves} seconds={SECONDS} format={format} />
        })}
      </div>
    </section>
  )
}
