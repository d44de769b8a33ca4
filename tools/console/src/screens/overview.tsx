// The first screen: what the server does now, which scenes changed last, which devices need help, and
// what one may do next.
import { useCallback, useEffect, useState } from 'preact/hooks'
import { askJson, refusalOf } from '../api/http'
import type { DeviceReport, Scene } from '../api/types'
import { href } from '../app/router'
import { session } from '../app/session'
import { watchTopic } from '../live/client'
import { type Server, useServer } from '../live/series'
import { Icon, type IconName } from '../ui/icon'
import { Loading, Refused } from '../ui/states'
import { agoOf, countOf, sizeOf } from '../ui/units'
import { useAnswer } from '../ui/use_answer'
import { silent, troubleOf } from './device_state'
import { Load, ofOverview } from './load'
import { NewScene } from './new_scene'
import { Nothing } from './scenes'

const SHOWN = 8
const CALM_MS = 1000 // between two questions about scenes that change all the time
const FEW = 100 // so many devices are looked at one by one
const FEW_MS = 10000
const MANY_MS = 30000

const readNewest = (signal: AbortSignal) => askJson<{ total: number; scenes: Scene[] }>('GET', `/v1/scene?sort=-changed&limit=${SHOWN}`, { signal })
const askDevices = (asked: string, signal: AbortSignal) => askJson<DeviceReport[]>('GET', `/v1/device?${asked}`, { signal })
const countAssets = (signal: AbortSignal) => askJson<{ count: number }>('GET', '/v1/asset/count', { signal })

// Of few devices all are read; of many the server looks for those whose feed is in trouble.
async function readTroubled(isFew: boolean, signal: AbortSignal) {
  if (isFew) return (await askDevices(`num_records=${FEW}`, signal)).filter(troubleOf)
  const found = await Promise.all(silent.map(state => askDevices(`state=${state}&num_records=${SHOWN}`, signal)))
  return found.flat()
}

// Does it now and then while the screen is looked at, and when somebody comes back to it.
function useNow(act: () => void, each_ms: number) {
  useEffect(() => {
    const look = () => document.hidden || act()
    const timer = setInterval(look, each_ms)
    document.addEventListener('visibilitychange', look)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [act, each_ms])
}

// Asks again when scenes change; all that change within a second are one question.
function useChanges(again: () => void) {
  useEffect(() => {
    let timer = 0
    const ask = () => ((timer = 0), again())
    const end = watchTopic('scenes', ({ reset, changes }) => {
      if (reset || changes.length) timer ||= window.setTimeout(ask, CALM_MS)
    })
    return () => (end(), clearTimeout(timer))
  }, [again])
}

export function Overview() {
  const server = useServer()
  const scenes = useAnswer(readNewest, [])
  const [making, setMaking] = useState(false)
  const { again } = scenes
  useChanges(again)

  if (scenes.failure && !scenes.value) return <Refused failure={scenes.failure} what="the overview" again={again} />
  if (!scenes.value) return <Loading what="the overview" />
  const { total, scenes: newest } = scenes.value
  return (
    <div class={server.isAway || scenes.failure ? 'page dimmed' : 'page'}>
      <Tiles server={server} scenes={total} />
      {total === 0 ? (
        <Nothing onMake={() => setMaking(true)} />
      ) : (
        <>
          {server.newest?.series && <Load series={server.newest.series} charts={ofOverview} />}
          <div class="columns loose">
            <Changed scenes={newest} total={total} onMake={() => setMaking(true)} />
            <Troubled count={server.newest?.counts['devices']} />
          </div>
        </>
      )}
      <Next />
      {making && <NewScene onClose={() => setMaking(false)} />}
    </div>
  )
}

function Tile({ title, value, note, to }: { title: string; value: string; note?: string | undefined; to?: string }) {
  return (
    <li class="tile small">
      {to ? (
        <a class="tile-title" href={to}>
          {title}
        </a>
      ) : (
        <span class="tile-title">{title}</span>
      )}
      <strong>{value}</strong>
      {note && <span class="note">{note}</span>}
    </li>
  )
}

function Tiles({ server: { newest, isAway }, scenes }: { server: Server; scenes: number }) {
  const number = new Intl.NumberFormat()
  const { counts, disk } = newest ?? {}
  const told = (name: string) => (counts ? number.format(counts[name] ?? 0) : '–')
  const state = isAway ? 'Does not answer' : disk?.read_only ? 'Read only' : disk ? 'Ready' : '–'
  const version = `version ${session.value?.version ?? ''}`
  return (
    <ul class="tiles few">
      <Tile title="Server" value={state} note={isAway ? 'it is asked again by itself' : disk?.read_only ? 'the disk is nearly full' : version} to={href('server')} />
      <Tile title="Scenes" value={number.format(scenes)} note={counts && `${number.format(counts.objects ?? 0)} objects in memory`} to={href('scenes')} />
      <Tile title="Devices" value={told('devices')} note="in scenes now" to={href('devices')} />
      <Tile title="Streams" value={told('streams')} note="of events, open now" />
      <Tile title="Free disk" value={disk?.free === undefined ? '–' : sizeOf(disk.free)} note={disk && `${sizeOf(disk.reserve)} kept back`} />
    </ul>
  )
}

function Changed({ scenes, total, onMake }: { scenes: Scene[]; total: number; onMake: () => void }) {
  const [, setTurn] = useState(0)
  const older = useCallback(() => setTurn(turn => turn + 1), [])
  useNow(older, CALM_MS) // "a minute ago" grows older
  return (
    <section class="box" aria-labelledby="changed">
      <header class="box-head">
        <h2 id="changed">Changed last</h2>
        <button class="button small" onClick={onMake}>
          <Icon name="plus" size={14} /> New scene
        </button>
      </header>
      <ul class="rows">
        {scenes.map(scene => (
          <li key={scene.key}>
            <a href={href('scene', scene.key)}>{scene.name || scene.key}</a>
            <span class="note">{scene.changed_us ? agoOf(scene.changed_us) : ''}</span>
          </li>
        ))}
      </ul>
      {total > scenes.length && <a href={href('scenes')}>All {new Intl.NumberFormat().format(total)} scenes</a>}
    </section>
  )
}

// `count`: of the devices of all scenes, undefined until the server has told it.
function Troubled({ count }: { count: number | undefined }) {
  const isFew = (count ?? 0) <= FEW
  const { value: troubled, failure, again } = useAnswer(signal => (count ? readTroubled(isFew, signal) : Promise.resolve([])), [])
  useNow(again, isFew ? FEW_MS : MANY_MS)
  useEffect(again, [isFew ? count : FEW])
  return (
    <section class="box" aria-labelledby="troubled">
      <h2 id="troubled">Devices that need help</h2>
      {failure && !troubled && <p class="note">{refusalOf(failure)}</p>}
      {count !== undefined && troubled?.length === 0 && <p class="note">{wellOf(count)}</p>}
      <ul class="rows">
        {(troubled ?? []).slice(0, SHOWN).map(device => (
          <li key={device.place}>
            <span>
              <span class="warn" aria-hidden="true">
                ▲
              </span>{' '}
              <strong class="mono">{device.key}</strong> in <a href={href('scene', device.scene)}>{device.scene}</a>
            </span>
            <span class="note">{troubleOf(device)}</span>
          </li>
        ))}
      </ul>
      {troubled && troubled.length > 0 && <a href={href('devices')}>All devices</a>}
    </section>
  )
}

function wellOf(count: number): string {
  if (count > FEW) return `None: the feeds of ${countOf(count, 'device')} go well.`
  return count ? `None: ${countOf(count, 'device')} ${count === 1 ? 'fares' : 'fare'} well.` : 'None: no device has registered yet.'
}

function Step({ icon, title, words, to, isAway }: { icon: IconName; title: string; words: string; to: string; isAway?: boolean }) {
  return (
    <li>
      <a class="step" href={to} {...(isAway ? { target: '_blank', rel: 'noreferrer' } : {})}>
        <Icon name={icon} size={20} />
        <strong>{title}</strong>
        <span class="note">{words}</span>
      </a>
    </li>
  )
}

function Next() {
  const { value } = useAnswer(countAssets, [])
  return (
    <section aria-labelledby="next">
      <h2 id="next">Next steps</h2>
      <ul class="steps">
        <Step icon="upload" title={value?.count ? 'Assets' : 'Upload a model'} words={value?.count ? `${countOf(value.count, 'file')} that scenes may show` : 'a GLB file, to be placed in scenes'} to={href('assets')} />
        <Step icon="alignment" title="Alignment" words="how scenes relate, and how surely" to={href('alignment')} />
        <Step icon="map" title="Map" words="scenes by their place on the Earth" to={href('map')} />
        <Step icon="docs" title="Interface" words="every request, for your own programs" to="/docs" isAway />
      </ul>
    </section>
  )
}
