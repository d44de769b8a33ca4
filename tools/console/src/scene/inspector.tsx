// What is selected: numbers that follow it live and change it, its type, lock, assets and events.
import { useEffect, useRef, useState } from 'preact/hooks'
import { askJson, faultsOf, path } from '../api/http'
import type { Device, Property, Scene, Thing } from '../api/types'
import { around } from '../app/router'
import { Fact } from '../ui/fact'
import { Icon } from '../ui/icon'
import { say } from '../ui/toast'
import { lengthOf } from '../ui/units'
import { useAnswer } from '../ui/use_answer'
import { conventions, convention } from './convention'
import { type Edits, membersOf } from './edits'
import { Events } from './events'
import { Held, Keep } from './held'
import { nameOf, type SceneModel, titleOf } from './model'
import { Numbers } from './number_field'
import { anglesOf } from './numbers'
import { Raw } from './raw'
import { Several } from './several'
import { axesOf, usePose } from './use_pose'

function ObjectPane({ model, edits, index }: { model: SceneModel; edits: Edits; index: number }) {
  void model.structure.value
  const entry = model.entries.get(index)!
  const record = entry.record as Thing
  const pose = usePose(model, entry)
  const axes = axesOf(model)
  const angles = anglesOf(pose.subarray(3, 7))
  const unit = axes ? conventions[convention.value]!.unit : 'm'
  const holder = record.owner === edits.device ? '' : record.owner
  const back = () => membersOf(axes ? pose : model.newest(index))
  const radians = (degrees: number[]) => degrees.map(value => (value * Math.PI) / 180)
  const write = (members: Record<string, unknown>) => edits.write(entry.key, members, back(), axes)
  const free = edits.why.value || holder ? null : edits
  return (
    <>
      {edits.why.value && <p class="note">{edits.why.value}</p>}
      <Held edits={edits} objectKey={entry.key} title={titleOf(entry)} lock={record.lock ?? (holder ? { holder, since_us: 0, fence: 0 } : undefined)} />
      <Numbers label="Position" member="translation" unit={unit} values={[...pose.subarray(0, 3)]} edits={free} write={values => write({ translation: values })} />
      <Numbers label="Rotation" member="euler_rotation" unit="°" kind="degrees" values={angles} edits={free} write={values => write({ euler_rotation: radians(values) })} />
      <Numbers label="Scale" member="scale" values={[...pose.subarray(7, 10)]} edits={free} write={values => write({ scale: values })} />
      <dl class="facts">
        <Fact name="Type">{[record.type, record.subtype].filter(Boolean).join(' · ') || '–'}</Fact>
        {record.parent && (
          <Fact name="Parent">
            <button class="link" onClick={() => (model.selected.value = nameOf('object', record.parent))}>
              {model.object(record.parent)?.name || record.parent}
            </button>
          </Fact>
        )}
        <Fact name="Assets">
          {record.assets?.length
            ? record.assets.map(key => (
                <a key={key} class="mono" href={path`/v1/asset/${key}`} download>
                  {key}
                </a>
              ))
            : '–'}
        </Fact>
        <Fact name="Key">
          <span class="mono">{entry.key}</span>
        </Fact>
      </dl>
      <div class="acts">
        {free && <Keep edits={edits} objectKey={entry.key} />}
        <button class="button danger" disabled={!free} onClick={() => void edits.remove(entry.key)}>
          <Icon name="trash" size={15} /> Delete
        </button>
      </div>
    </>
  )
}

const told: Record<string, string> = {
  corrected: 'Its place rests on its own corrections.',
  predicted: 'Its place follows from other devices.',
  unverified: 'One device alone says so; nobody confirms it.',
  conflicting: 'Corrections disagree: look at the alignment.',
  none: 'Nothing is known of its place.',
}

function DevicePane({ model, index }: { model: SceneModel; index: number }) {
  const entry = model.entries.get(index)!
  const { alignment } = entry.record as Device
  const pose = usePose(model, entry)
  const unit = axesOf(model) ? conventions[convention.value]!.unit : 'm'
  const none = () => Promise.resolve(false)
  return (
    <>
      <Numbers label="Position" member="" unit={unit} values={[...pose.subarray(0, 3)]} edits={null} write={none} />
      <Numbers label="Rotation" member="" unit="°" kind="degrees" values={anglesOf(pose.subarray(3, 7))} edits={null} write={none} />
      <dl class="facts">
        <Fact name="Alignment">
          <a href={around(model.scene)}>{alignment?.status ?? 'not told'}</a>
        </Fact>
        {alignment?.sigma_t_m !== undefined && <Fact name="Sure to">± {lengthOf(2 * alignment.sigma_t_m)} (2 σ)</Fact>}
        {alignment?.sigma_r_rad !== undefined && <Fact name="Turned to">± {((2 * alignment.sigma_r_rad * 180) / Math.PI).toFixed(2)}°</Fact>}
        {alignment?.observations !== undefined && <Fact name="Rests on">{alignment.observations} corrections</Fact>}
      </dl>
      <p class="note">{told[alignment?.status ?? 'none']}</p>
    </>
  )
}

function PropertyPane({ model, index }: { model: SceneModel; index: number }) {
  const record = model.entries.get(index)!.record as Property
  return (
    <dl class="facts">
      <Fact name="Values">
        <span class="mono">{record.values?.map(value => (typeof value === 'number' ? value : value.value)).join(', ') || '–'}</span>
      </Fact>
      <Fact name="Key">
        <span class="mono">{record.key}</span>
      </Fact>
    </dl>
  )
}

// The scene itself, where nothing in it is selected.
function About({ model }: { model: SceneModel }) {
  const { value } = useAnswer(
    signal => askJson<{ scenes: Scene[] }>('GET', path`/v1/scene/${model.scene}`, { signal }).then(answer => answer.scenes[0]),
    [model.scene],
  )
  if (!value) return null
  return (
    <div class="about">
      <h2>{value.name || value.key}</h2>
      {value.description && <p>{value.description}</p>}
      <dl class="facts">
        {value.region && <Fact name="Region">{value.region}</Fact>}
        {(value.latitude !== 0 || value.longitude !== 0) && (
          <Fact name="Place">
            <span class="mono">
              {value.latitude.toFixed(5)}, {value.longitude.toFixed(5)}
            </span>
          </Fact>
        )}
        <Fact name="Things">{model.objects().length}</Fact>
        <Fact name="Seen by">{value.public ? 'everybody' : 'its owner'}</Fact>
        {value.tags?.length > 0 && (
          <Fact name="Tags">
            {value.tags.map(tag => (
              <span class="tag" key={tag}>
                {tag}
              </span>
            ))}
          </Fact>
        )}
      </dl>
    </div>
  )
}

export function Inspector({ model, edits }: { model: SceneModel; edits: Edits }) {
  void model.structure.value
  const entry = model.entry(model.selected.value)
  useEffect(() => {
    edits.refused.value = null
  }, [entry?.index])
  if (model.chosen.value.length > 1) return <Several model={model} edits={edits} />
  if (!entry) {
    return (
      <section class="panel-part" aria-label="Selection">
        <About model={model} />
        <p class="note">Nothing is selected. Click a thing, or walk through the list with the arrow keys.</p>
        <Events model={model} />
      </section>
    )
  }
  const { index } = entry
  const owner = entry.kind === 'object' ? (entry.record as Thing).owner : ''
  const isFree = entry.kind === 'object' && !edits.why.value && (!owner || owner === edits.device)
  return (
    <section class="panel-part" aria-label="Selection">
      <header class="selected">
        <Title key={index} entryTitle={titleOf(entry)} edits={isFree ? edits : null} objectKey={entry.key} />
        <span class="tag">{entry.kind}</span>
      </header>
      {entry.kind === 'object' && <ObjectPane key={index} model={model} edits={edits} index={index} />}
      {entry.kind === 'device' && <DevicePane key={index} model={model} index={index} />}
      {entry.kind === 'property' && <PropertyPane key={index} model={model} index={index} />}
      <Raw key={index} model={model} entry={entry} />
      <Events model={model} of={entry} />
    </section>
  )
}

function Title({ entryTitle, edits, objectKey }: { entryTitle: string; edits: Edits | null; objectKey: string }) {
  const [typed, setTyped] = useState<string | null>(null)
  const busy = useRef(false)
  if (!edits) return <h2>{entryTitle}</h2>
  async function commit() {
    if (busy.current) return
    if (typed === null || typed === entryTitle) return setTyped(null)
    busy.current = true
    if (await edits!.write(objectKey, { name: typed }, { name: entryTitle })) setTyped(now => (now === typed ? null : now))
    else say(faultsOf(edits!.refused.value)[0]?.detail ?? 'The name was refused.', true)
    busy.current = false
  }
  return (
    <h2>
      <input class="title" aria-label="Name" value={typed ?? entryTitle} onInput={event => setTyped(event.currentTarget.value)}
        onBlur={() => void commit()}
        onKeyDown={event => {
          if (event.key === 'Enter') event.currentTarget.blur()
          else if (event.key === 'Escape') setTyped(null)
          event.stopPropagation()
        }} />
    </h2>
  )
}
