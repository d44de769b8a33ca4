// What devices said of where they stand in the scene, the worst first. Administrators pin what is
// right and remove what is wrong.
import { useState } from 'preact/hooks'
import type { Correction } from '../api/types'
import { place, setQuery } from '../app/router'
import { Empty } from '../ui/states'
import { agoOf, centimetresOf, degreesOf } from '../ui/units'
import { reasonOf, type State, stateOf, states, worstFirst } from './words'

const shows = ['all', 'rejected', 'superseded', 'pinned'] as const
type Show = (typeof shows)[number]

export interface Acts {
  mayChange: boolean
  isBusy: boolean
  pin: (correction: Correction) => void
  remove: (correction: Correction) => void
}

const fits = (correction: Correction, show: Show) => show === 'all' || (show === 'pinned' ? correction.pinned : stateOf(correction) === show)

export function Corrections({ corrections, title, ...acts }: Acts & { corrections: Correction[]; title: string }) {
  const [most, setMost] = useState(100)
  const show = (shows.find(name => name === place.value.query.get('show')) ?? 'all') as Show
  const shown = worstFirst(corrections).filter(correction => fits(correction, show))
  const worst = Math.max(...corrections.map(correction => correction.residual_t_m ?? 0), 0.01)
  return (
    <section class="align-corrections" aria-labelledby="corrections">
      <div class="tools">
        <h2 id="corrections">Corrections in {title}</h2>
        <fieldset class="choices">
          <legend class="visually-hidden">Show</legend>
          {shows.map(name => (
            <label key={name}>
              <input type="radio" name="show" checked={name === show} onChange={() => setQuery('show', name === 'all' ? '' : name)} />
              <span>
                {name} {corrections.filter(correction => fits(correction, name)).length}
              </span>
            </label>
          ))}
        </fieldset>
      </div>
      {corrections.length === 0 ? (
        <p class="note">No device has said where it stands here.</p>
      ) : shown.length === 0 ? (
        <Empty icon="alignment" title={`None is ${show}`} />
      ) : (
        <div class="table-box" role="region" aria-label="Corrections" tabIndex={0}>
          <table class="table align-table">
            <thead>
              <tr>
                <th>Device</th>
                <th>State</th>
                <th class="num">Residual</th>
                <th class="num wide-only">Turned</th>
                <th class="wide-only">Method</th>
                <th class="num wide-only">Claims</th>
                <th class="num wide-only">Noise</th>
                <th class="num wide-only">Weight</th>
                <th class="wide-only">Came</th>
                {acts.mayChange && (
                  <th>
                    <span class="visually-hidden">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, most).map(correction => (
                <Row key={correction.id} correction={correction} worst={worst} {...acts} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length > most && (
        <button class="button wide" onClick={() => setMost(most + 400)}>
          Show more
        </button>
      )}
      {!acts.mayChange && corrections.length > 0 && <p class="note">Administrators may pin a correction that is right and remove one that is wrong.</p>}
    </section>
  )
}

const when = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

function Row({ correction, worst, ...acts }: Acts & { correction: Correction; worst: number }) {
  const state = stateOf(correction)
  const { device, method, residual_t_m, residual_r_rad, noise_factor, weight, pinned } = correction
  return (
    <tr class={state}>
      <td class="device-name">
        <strong class="mono">{device}</strong>
        <span class="note narrow-only">{method}</span>
      </td>
      <td class="align-state">
        <StateCell state={state} pinned={pinned} reason={reasonOf(correction)} />
      </td>
      <td class="num">
        {residual_t_m === undefined ? (
          <span class="faint">–</span>
        ) : (
          <>
            {centimetresOf(residual_t_m)}
            <svg class={`align-meter ${states[state].tone}`} width="72" height="4" aria-hidden="true">
              <rect class="all" width="72" height="4" rx="2" />
              <rect width={Math.max(2, (72 * residual_t_m) / worst)} height="4" rx="2" />
            </svg>
          </>
        )}
      </td>
      <td class="num wide-only">{residual_r_rad === undefined ? '' : degreesOf(residual_r_rad)}</td>
      <td class="wide-only">{method ?? <span class="faint">not told</span>}</td>
      <td class="num wide-only">± {centimetresOf(correction.sigma_t_m)}</td>
      <td class="num wide-only">{noise_factor === undefined ? <span class="faint">as claimed</span> : `× ${noise_factor.toFixed(1)}`}</td>
      <td class="num wide-only">{weight?.toFixed(2) ?? ''}</td>
      <td class="wide-only" title={when.format(correction.time_us / 1000)}>
        {agoOf(correction.time_us)}
      </td>
      {acts.mayChange && (
        <td class="align-acts">
          <button class="quiet" disabled={acts.isBusy} aria-label={`${pinned ? 'Unpin' : 'Pin'} the correction of ${device}`} onClick={() => acts.pin(correction)}>
            {pinned ? 'Unpin' : 'Pin'}
          </button>
          <button class="quiet" disabled={acts.isBusy} aria-label={`Remove the correction of ${device}`} onClick={() => acts.remove(correction)}>
            Remove
          </button>
        </td>
      )}
    </tr>
  )
}

function StateCell({ state, pinned, reason }: { state: State; pinned: boolean; reason: string }) {
  return (
    <>
      <span class={states[state].tone} aria-hidden="true">
        {states[state].sign}
      </span>{' '}
      {state}
      {pinned && <span class="tag">pinned</span>}
      {state !== 'accepted' && <span class="note">{reason}</span>}
    </>
  )
}
