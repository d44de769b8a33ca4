// The versions of an asset: which is the current one, and how an old one becomes it again.
import { useRef, useState } from 'preact/hooks'
import { askJson, path, refusalOf } from '../api/http'
import type { Asset, History } from '../api/types'
import { href } from '../app/router'
import { Icon } from '../ui/icon'
import { say } from '../ui/toast'
import { timeOf } from '../ui/time'
import { countOf, sizeOf } from '../ui/units'
import { useAnswer } from '../ui/use_answer'
import { thumbnailOf } from './thumbnail'
import { upload } from './upload'

const MOST = 100 // that are shown

interface Versions {
  all: number
  items: Asset[] // newest first
}

async function readVersions(asset: Asset, signal: AbortSignal): Promise<Versions> {
  const [history] = await askJson<History[]>('GET', path`/v1/asset-history/${asset.key}`, { signal })
  const keys = history?.assetIds ?? [asset.key]
  const ids = keys.slice(0, MOST)
  const records = await askJson<Asset[]>('POST', '/v1/bulk/asset', { body: { ids }, signal })
  return { all: keys.length, items: ids.flatMap(key => records.find(record => record.key === key) ?? []) }
}

function nameOf(asset: Asset) {
  return asset.name || asset.key
}

function Version(props: { asset: Asset; number: number; isCurrent: boolean; isShown: boolean; restore: () => void; isBusy: boolean }) {
  const { asset, number } = props
  const picture = thumbnailOf(asset)
  return (
    <li class={props.isShown ? 'version shown' : 'version'}>
      {picture ? <img src={picture} alt="" /> : <span class="version-face"><Icon name="assets" size={18} /></span>}
      <div>
        <a href={href('assets', asset.key)} aria-current={props.isShown ? 'true' : undefined}>
          Version {number}
        </a>
        {props.isCurrent && <span class="tag">current</span>}
        <div class="note">
          {timeOf(asset.createdTimestamp)} · {sizeOf(asset.size)}
        </div>
      </div>
      {!props.isCurrent && (
        <button class="button small" disabled={props.isBusy} onClick={props.restore} aria-label={`Make current again: version ${number}`}>
          Make current again
        </button>
      )}
    </li>
  )
}

export function Versions({ asset, moved }: { asset: Asset; moved: (key: string) => void }) {
  const { value, failure } = useAnswer(signal => readVersions(asset, signal), [asset.key])
  const [isBusy, setBusy] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  if (failure) return <p class="note">Its versions cannot be read: {refusalOf(failure)}</p>
  const current = value?.items[0]
  if (!value || !current) return <p class="note">Versions…</p>

  // Runs what makes a version, and shows it.
  async function follow(work: () => Promise<string>, words: string) {
    setBusy(true)
    try {
      const key = await work()
      if (!key) return
      say(words)
      moved(key)
    } catch (failure) {
      say(refusalOf(failure), true)
    } finally {
      setBusy(false)
    }
  }

  function restore(version: Asset, number: number) {
    const ask = async () => (await askJson<Asset>('POST', path`/v1/asset/${current!.key}/restore`, { body: { version: version.key } })).key
    void follow(ask, `Version ${number} of ${nameOf(version)} is the current one again.`)
  }

  return (
    <section class="versions" aria-label="Versions">
      <header>
        <h3>{countOf(value.all, 'version')}</h3>
        <input type="file" hidden ref={input}
          onChange={event => {
            const file = event.currentTarget.files?.[0]
            if (file) void follow(() => upload(file, current.key), `${nameOf(current)} has a new version.`)
            event.currentTarget.value = ''
          }} />
        <button class="button small" disabled={isBusy} onClick={() => input.current?.click()}>
          Upload a new version
        </button>
      </header>
      <ol>
        {value.items.map((version, i) => (
          <Version key={version.key} asset={version} number={value.all - i} isCurrent={i === 0} isShown={version.key === asset.key}
            isBusy={isBusy} restore={() => restore(version, value.all - i)} />
        ))}
      </ol>
      {value.all > value.items.length && <p class="note">The newest {value.items.length} are shown.</p>}
    </section>
  )
}
