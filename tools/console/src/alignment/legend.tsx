// What lines, dashes and widths of the picture mean.
import type { LinkStatus } from '../api/types'
import { dashOf, lookOf, widthOf } from './words'

const shown: [LinkStatus, string][] = [
  ['predicted', 'several devices agree'],
  ['unverified', 'one device alone'],
  ['conflicting', 'devices contradict'],
]

function Sample({ status, sigma }: { status: LinkStatus; sigma: number }) {
  const width = widthOf(sigma)
  return (
    <svg width="34" height="12" aria-hidden="true">
      <line class={`align-line ${lookOf(status).tone}`} x1="1" y1="6" x2="33" y2="6" stroke-width={width} stroke-dasharray={dashOf(status, width)} />
    </svg>
  )
}

export function Legend() {
  return (
    <figcaption class="align-legend">
      {shown.map(([status, words]) => (
        <span key={status}>
          <Sample status={status} sigma={0.05} />
          <b>{status}</b> {words}
        </span>
      ))}
      <span>
        <Sample status="predicted" sigma={0.02} /> σ 2 cm
        <Sample status="predicted" sigma={0.08} /> from 8 cm
      </span>
      <span>
        <svg width="12" height="12" aria-hidden="true">
          <path class="align-nose" d="M6 2l5 8H1z" />
        </svg>
        where −Z points
      </span>
    </figcaption>
  )
}
