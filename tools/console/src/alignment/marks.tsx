// The marks of the picture: scenes, links, their labels, the scale.
import type { Line, Spot } from './drawing'
import type { Size } from './layout'
import { lookOf } from './words'

// How sure its place is, and a line to it if it had to give way.
export function Ground({ spot }: { spot: Spot }) {
  const { truly, sure } = spot
  const isAway = Math.hypot(truly!.x - spot.x, truly!.y - spot.y) > 14
  return (
    <>
      {sure > 11 && <circle class="align-sure" cx={truly!.x} cy={truly!.y} r={Math.min(sure, 2000)} />}
      {isAway && <path class="align-leader" d={`M${spot.x} ${spot.y}L${truly!.x} ${truly!.y}m-3 -3l6 6m0 -6l-6 6`} />}
    </>
  )
}

export function Stroke({ line, faint }: { line: Line; faint: number }) {
  const ends = { x1: line.from.x, y1: line.from.y, x2: line.to.x, y2: line.to.y }
  return (
    <>
      <line class="align-hit" {...ends} stroke-width="24" />
      <line class="align-halo" {...ends} stroke-width={line.width + 7} />
      <line class={`align-line ${lookOf(line.link.status).tone}`} {...ends} stroke-width={line.width} stroke-dasharray={line.dash} opacity={faint} />
    </>
  )
}

export function Node({ spot, isMiddle }: { spot: Spot; isMiddle: boolean }) {
  const { x, y, radius, heading } = spot
  const nose = (away: number, aside: number) => `${x + heading!.x * away - heading!.y * aside} ${y + heading!.y * away + heading!.x * aside}`
  return (
    <>
      <circle class="align-hit" cx={x} cy={y} r={radius + 6} />
      {heading && radius > 8 && <path class="align-nose" d={`M${nose(17, 0)}L${nose(11.5, 5)}L${nose(11.5, -5)}z`} />}
      <circle class={`align-node${isMiddle ? ' middle' : ''}${spot.truly ? '' : ' nowhere'}`} cx={x} cy={y} r={isMiddle ? 9 : radius} />
      {isMiddle && <circle class="align-core" cx={x} cy={y} r="3.5" />}
    </>
  )
}

export function Title({ spot, isMiddle }: { spot: Spot; isMiddle: boolean }) {
  const { x, y, anchor } = spot.told ?? { x: spot.x, y: spot.y + spot.radius + 18, anchor: 'middle' }
  return (
    <text class={isMiddle ? 'align-title middle' : 'align-title'} x={x} y={y} text-anchor={anchor} aria-hidden="true">
      {spot.title}
    </text>
  )
}

// A label that has no room is its sign alone, unless the line is what one looks at.
export function Label({ line, isWhole }: { line: Line; isWhole: boolean }) {
  const { x, y } = line.label ?? { x: (line.from.x + line.to.x) / 2, y: (line.from.y + line.to.y) / 2 }
  const { tone, sign } = lookOf(line.link.status)
  const half = isWhole ? line.half : 10
  return (
    <g class={`align-label ${tone}`} aria-hidden="true">
      <rect x={x - half} y={y - 10} width={2 * half} height="20" rx="10" />
      <text x={x} y={y + 4} text-anchor="middle">
        {isWhole ? line.words : sign}
      </text>
    </g>
  )
}

export function Strip({ size, apart }: { size: Size; apart: number }) {
  return (
    <g class="align-strip">
      <rect x="0" y={size.height - apart} width={size.width} height={apart} />
      <text x="12" y={size.height - apart + 17}>
        Nobody knows where these are
      </text>
    </g>
  )
}

export function Bar({ pixels, words, y }: { pixels: number; words: string; y: number }) {
  return (
    <g class="align-bar" aria-hidden="true">
      <path d={`M14 ${y - 5}v5h${pixels.toFixed(1)}v-5`} />
      <text x={14 + pixels / 2} y={y - 7} text-anchor="middle">
        {words}
      </text>
    </g>
  )
}
