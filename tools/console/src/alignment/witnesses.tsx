// The devices that tell how two scenes relate: those with corrections in both.
import { around } from '../app/router'
import { useAnswer } from '../ui/use_answer'
import { centimetresOf } from '../ui/units'
import { readReport } from './use_alignment'
import { states, witnessesOf } from './words'

const MOST = 50

// `of` changes when the link does: it is asked again then.
export function Witnesses({ ends, titles, of }: { ends: [string, string]; titles: Map<string, string>; of: string }) {
  const { value } = useAnswer(signal => Promise.all(ends.map(scene => readReport(scene, signal))), [ends, of])
  if (!value) return null
  const found = witnessesOf(value[0]!.corrections, value[1]!.corrections)
  if (!found.length) return null
  return (
    <div>
      <h2>
        Who says so <span class="count">{found.length}</span>
      </h2>
      <ul class="align-witnesses">
        {found.slice(0, MOST).map(witness => (
          <li key={witness.device}>
            <span class={states[witness.state].tone} aria-hidden="true">
              {states[witness.state].sign}
            </span>
            <span class="align-name">
              <strong class="mono">{witness.device}</strong> <span class="note">{witness.method}</span>
              {witness.state !== 'accepted' && (
                <span class="note">
                  <br />
                  {witness.state}
                  {witness.scenes.map((scene, i) => (
                    <span key={scene}>
                      {i ? ' and ' : ' in '}
                      <a href={around(scene)}>{titles.get(scene) || scene}</a>
                    </span>
                  ))}
                </span>
              )}
            </span>
            <span class="count">{centimetresOf(witness.residual_t_m)} off</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
