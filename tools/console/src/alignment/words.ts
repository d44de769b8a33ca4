// What links and corrections look like and are called, which comes first, what a change did. Pure.
import type { Correction, Graph, Link, LinkStatus } from '../api/types'
import { centimetresOf } from '../ui/units'

interface Look {
  sign: string
  tone: string
  words: string
  dash: number[] // in widths of the line
}

// Each status differs in its sign and its dashes too, not in its colour alone.
export const looks: Record<LinkStatus, Look> = {
  predicted: { sign: '●', tone: 'good', words: 'Several devices agree on it.', dash: [] },
  unverified: { sign: '▲', tone: 'warn', words: 'It rests on one device alone; nobody confirms it.', dash: [3, 2] },
  conflicting: { sign: '✕', tone: 'bad', words: 'Devices contradict each other, so one of them is wrong.', dash: [1, 1.2] },
  none: { sign: '○', tone: 'faint', words: 'Nothing is known of it.', dash: [0.4, 2] },
}

export const lookOf = (status: string): Look => looks[status as LinkStatus] ?? looks.none

// Width of a line in pixels: it grows with certainty, 1/σ, between 8 cm (thin) and 2 cm (thick).
export function widthOf(sigma_t_m: number): number {
  return Math.min(8, Math.max(2, 0.16 / Math.max(sigma_t_m, 1e-9)))
}

export function dashOf(status: string, width: number): string | undefined {
  const { dash } = lookOf(status)
  return dash.length ? dash.map(part => (part * Math.max(width, 3)).toFixed(1)).join(' ') : undefined
}

// One name for a link, whichever way it is told.
export function linkName(link: Link): string {
  return [link.from ?? '', link.scene].sort().join(' ')
}

// Whether nothing but the order in which they came speaks for those that count.
export function isTie(link: Link): boolean {
  return link.status === 'conflicting' && link.rejected >= link.observations
}

const order: LinkStatus[] = ['conflicting', 'unverified', 'none', 'predicted']

// Links that need somebody first: contradicted, then unsure ones.
export function byNeed(one: Link, other: Link): number {
  return order.indexOf(one.status) - order.indexOf(other.status) || other.sigma_t_m - one.sigma_t_m
}

export function shortOf(title: string, most = 18): string {
  const signs = [...title]
  return signs.length > most ? `${signs.slice(0, most - 1).join('')}…` : title
}

// --- corrections ---

export type State = 'accepted' | 'superseded' | 'rejected' | 'waiting'

export function stateOf(correction: Correction): State {
  if (correction.rejected) return 'rejected'
  if (correction.superseded) return 'superseded'
  return correction.residual_t_m === undefined ? 'waiting' : 'accepted'
}

export const states: Record<State, { sign: string; tone: string; words: string }> = {
  accepted: { sign: '●', tone: 'good', words: 'It counts.' },
  superseded: { sign: '○', tone: 'faint', words: 'A newer one of this device replaces it.' },
  rejected: { sign: '✕', tone: 'bad', words: 'It does not count.' },
  waiting: { sign: '◐', tone: 'warn', words: 'No solution has it yet.' },
}

const reasons: Record<string, string> = {
  disagrees: 'It disagrees with the others, by more than they can err.',
  unclear: 'It disagrees with the others, or what its device said of the other scene does: nothing tells which.',
  scene_moved: 'A scene that it tells of has moved since.',
  too_far: 'The device would stand implausibly far from all others.',
}

export function reasonOf(correction: Correction): string {
  const state = stateOf(correction)
  if (state !== 'rejected' || !correction.reason) return states[state].words
  return reasons[correction.reason] ?? correction.reason
}

// How far a correction is from the solution, in what it claims of its own accuracy.
export function missOf(correction: Correction): number {
  if (correction.residual_t_m === undefined) return -1
  return Math.hypot(correction.residual_t_m / correction.sigma_t_m, (correction.residual_r_rad ?? 0) / correction.sigma_r_rad)
}

// The worst residual first; what was replaced comes last.
export function worstFirst(corrections: Correction[]): Correction[] {
  const rank = (one: Correction) => (one.superseded ? 1 : 0)
  return [...corrections].sort(
    (a, b) => rank(a) - rank(b) || (b.residual_t_m ?? -1) - (a.residual_t_m ?? -1) || missOf(b) - missOf(a) || b.time_us - a.time_us,
  )
}

export interface Witness {
  device: string
  method: string
  residual_t_m: number
  state: State
  reason: string
  scenes: string[] // where it is rejected, of the two
}

// Devices with corrections in both scenes of a link, those that are rejected first: they tell how
// the two relate.
export function witnessesOf(here: Correction[], there: Correction[]): Witness[] {
  const found: Witness[] = []
  const newest = (of: Correction[]) => new Map(of.filter(one => !one.superseded).map(one => [one.device, one]))
  const others = newest(there)
  for (const [device, one] of newest(here)) {
    const other = others.get(device)
    if (!other) continue
    const worst = stateOf(other) === 'rejected' || (stateOf(one) !== 'rejected' && (other.residual_t_m ?? 0) > (one.residual_t_m ?? 0)) ? other : one
    found.push({
      device,
      method: worst.method ?? '',
      residual_t_m: Math.max(one.residual_t_m ?? 0, other.residual_t_m ?? 0),
      state: stateOf(worst),
      reason: reasonOf(worst),
      scenes: [one, other].filter(each => each.rejected).map(each => each.scene ?? ''),
    })
  }
  return found.sort((a, b) => Number(b.state === 'rejected') - Number(a.state === 'rejected') || b.residual_t_m - a.residual_t_m)
}

// --- what a change did ---

// Sentences on links that became another status, or surer or less sure by a twentieth.
export function changesOf(before: Graph, after: Graph, titles: Map<string, string>): string[] {
  const nameOf = (link: Link) => [link.from ?? '', link.scene].map(key => titles.get(key) || key).join(' – ')
  const old = new Map(before.links.map(link => [linkName(link), link]))
  const told: string[] = []
  for (const link of after.links) {
    const was = old.get(linkName(link))
    old.delete(linkName(link))
    const name = nameOf(link)
    if (!was) {
      told.push(`${name} is new: ${link.status}, σ ${centimetresOf(link.sigma_t_m)}.`)
      continue
    }
    const isMoved = Math.abs(link.sigma_t_m / was.sigma_t_m - 1) > 0.05
    if (!isMoved && link.status === was.status) continue
    const status = link.status === was.status ? `stays ${link.status}` : `was ${was.status} and is ${link.status}`
    const way = link.sigma_t_m < was.sigma_t_m ? 'fell' : 'rose'
    told.push(`${name} ${status}${isMoved ? `, σ ${way} from ${centimetresOf(was.sigma_t_m)} to ${centimetresOf(link.sigma_t_m)}` : ''}.`)
  }
  for (const link of old.values()) told.push(`${nameOf(link)} is no more.`)
  return told.length ? told : ['It was solved again: no link changed its status or became much surer.']
}
