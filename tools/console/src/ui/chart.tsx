// Lines over the last minutes: seconds from left to right, from zero up. Unknown seconds are gaps.
import type { Values } from '../live/protocol'

export interface Curve {
  name: string
  values: Values
}

interface Shown {
  title: string
  curves: Curve[]
  seconds: number // that the width stands for
  format: (value: number) => string
}

// The next of 1, 2, 5, 10, 20 … that is not below.
function roundUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most || 1))
  return [1, 2, 5, 10].map(step => step * power).find(step => step >= most) ?? most
}

function pathOf(values: Values, seconds: number, top: number): string {
  let path = ''
  let isDrawing = false
  values.forEach((value, i) => {
    if (value === null) {
      isDrawing = false
      return
    }
    const x = (100 * (seconds - values.length + i)) / (seconds - 1)
    const place = `${x.toFixed(2)} ${(50 * (1 - value / top)).toFixed(2)}`
    path += isDrawing ? `L${place}` : `M${place}h0`
    isDrawing = true
  })
  return path
}

function newest(values: Values): number | null {
  return values.at(-1) ?? null
}

export function Chart({ title, curves, seconds, format }: Shown) {
  const known = curves.flatMap(curve => curve.values).filter(value => value !== null)
  const top = roundUp(Math.max(...known, 0) || 1)
  const told = (value: number | null) => (value === null ? '–' : format(value))
  const words = curves.map(({ name, values }) => `${name || title}: ${told(newest(values))} now`).join(', ')
  return (
    <figure class="chart">
      <figcaption>
        <span class="tile-title">{title}</span>
        <span class="curves">
          {curves.map(({ name, values }, i) => (
            <span class={`curve curve-${i}`} key={name}>
              {name && <i aria-hidden="true" />}
              {name} <strong>{told(newest(values))}</strong>
            </span>
          ))}
        </span>
      </figcaption>
      <div class="chart-field">
        <span class="chart-top" aria-hidden="true">
          {format(top)}
        </span>
        <svg viewBox="0 0 100 50" preserveAspectRatio="none" role="img" aria-label={`${words}; at most ${format(Math.max(...known, 0))} in ${Math.round(seconds / 60)} minutes`}>
          <path class="grid" d="M0 0H100M0 25H100M0 50H100" />
          {curves.map(({ name, values }, i) => (
            <path key={name} class={`line-${i}`} d={pathOf(values, seconds, top)} />
          ))}
        </svg>
      </div>
      <div class="chart-ends" aria-hidden="true">
        <span>{Math.round(seconds / 60)} min ago</span>
        <span>now</span>
      </div>
    </figure>
  )
}
