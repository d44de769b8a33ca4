// All files that one may see, their previews, and the upload of new ones.
import { useMemo, useRef, useState } from 'preact/hooks'
import { ask, askJson, path, refusalOf } from '../api/http'
import type { Asset } from '../api/types'
import { go, href, place } from '../app/router'
import { DropPlace, Uploads } from '../assets/drop'
import { Preview, type Sort, sortOf } from '../assets/preview'
import { canPicture, pictureAsset, thumbnailOf } from '../assets/thumbnail'
import { upload } from '../assets/upload'
import { Uses } from '../assets/uses'
import { Versions } from '../assets/versions'
import { Dialog } from '../ui/dialog'
import { Fact } from '../ui/fact'
import { Filter, NothingFits } from '../ui/filter'
import { Icon, type IconName } from '../ui/icon'
import { Empty, Loading, Refused } from '../ui/states'
import { timeOf } from '../ui/time'
import { say } from '../ui/toast'
import { sizeOf } from '../ui/units'
import { page } from '../ui/use_list'
import { useToldList } from '../ui/use_told_list'

const icons: Record<Sort, IconName> = { image: 'frame', audio: 'list', video: 'camera', model: 'mesh', text: 'docs', bytes: 'list' }

function readAssets(start: number, signal: AbortSignal) {
  return askJson<Asset[]>('GET', `/v1/asset?limit=${page}&offset=${start}`, { signal })
}

function textOf(asset: Asset) {
  return `${asset.name} ${asset.key} ${asset.contentType} ${asset.description}`
}

function Face({ asset }: { asset: Asset }) {
  const sort = sortOf(asset)
  const picture = thumbnailOf(asset) || (sort === 'image' && asset.size < 4e6 && path`/v1/asset/${asset.key}`)
  if (!picture) return <Icon name={icons[sort]} size={34} />
  return <img class={sort === 'image' ? '' : 'whole'} src={picture} alt="" loading="lazy" />
}

export function Assets() {
  const { value, failure, again, filter, shown: fitting } = useToldList('assets', readAssets, textOf)
  const input = useRef<HTMLInputElement>(null)
  const [most, setMost] = useState(120)
  const { key } = place.value
  const shown = useMemo(() => [...fitting].reverse(), [fitting]) // the newest first

  async function take(files: File[]) {
    await Promise.all(files.map(file => upload(file)))
    again()
  }

  if (failure && !value) return <Refused failure={failure} what="these assets" again={again} />
  if (!value) return <Loading what="assets" />
  const chosen = value.find(asset => asset.key === key)
  return (
    <DropPlace words="Drop to upload" take={files => void take(files)}>
      <div class={chosen ? 'page with-side' : 'page'}>
        <div>
          <div class="tools">
            <Filter by="name, type or key" of="assets" filter={filter} shown={shown.length} all={value.length} />
            <input type="file" multiple hidden ref={input} onChange={event => void take([...(event.currentTarget.files ?? [])])} />
            <button class="button main" onClick={() => input.current?.click()}>
              <Icon name="upload" size={16} /> Upload
            </button>
          </div>
          <Uploads />
          {value.length === 0 ? (
            <Empty icon="assets" title="No assets yet">
              <p>Models, pictures, sounds and any other file that things of scenes show. Drop files here.</p>
              <button class="button main" onClick={() => input.current?.click()}>
                Upload files
              </button>
            </Empty>
          ) : shown.length === 0 ? (
            <NothingFits all={value.length} />
          ) : (
            <ul class="cards">
              {shown.slice(0, most).map(asset => (
                <li key={asset.key}>
                  <a class="asset" href={href('assets', asset.key)} aria-current={asset.key === key ? 'true' : undefined}>
                    <span class="asset-face">
                      <Face asset={asset} />
                    </span>
                    <strong>{asset.name || asset.key}</strong>
                    <span class="note">
                      {asset.fileType || asset.contentType} · {sizeOf(asset.size)}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          )}
          {shown.length > most && (
            <button class="button wide" onClick={() => setMost(most + 240)}>
              Show more
            </button>
          )}
        </div>
        {chosen && <Detail asset={chosen} again={again} />}
      </div>
    </DropPlace>
  )
}

// For a model that something else uploaded.
function MakeThumbnail({ asset }: { asset: Asset }) {
  const [isBusy, setBusy] = useState(false)
  async function make() {
    setBusy(true)
    try {
      await pictureAsset(asset)
    } catch (failure) {
      say(`There is no picture: ${(failure as Error).message}`, true)
    } finally {
      setBusy(false)
    }
  }
  return (
    <button class="button small" disabled={isBusy} onClick={() => void make()}>
      Make its picture for lists
    </button>
  )
}

function Detail({ asset, again }: { asset: Asset; again: () => void }) {
  const [asks, setAsks] = useState(false)
  async function remove() {
    try {
      await ask('DELETE', path`/v1/asset/${asset.key}`)
      say(`${asset.name || asset.key} is deleted.`)
      go(href('assets'))
      again()
    } catch (failure) {
      say(refusalOf(failure), true)
      setAsks(false)
    }
  }
  return (
    <section class="side" aria-label={asset.name || asset.key}>
      <header class="selected">
        <h2>{asset.name || asset.key}</h2>
        <a class="quiet" href={href('assets')} aria-label="Close">
          <Icon name="close" />
        </a>
      </header>
      <Preview asset={asset} />
      {sortOf(asset) === 'model' && canPicture(asset) && !thumbnailOf(asset) && <MakeThumbnail asset={asset} />}
      <dl class="facts">
        <Fact name="Type">{asset.contentType}</Fact>
        <Fact name="Size">{sizeOf(asset.size)}</Fact>
        <Fact name="Uploaded">{timeOf(asset.createdTimestamp)}</Fact>
        <Fact name="Seen by">{asset.public ? 'everybody' : 'its owner'}</Fact>
        {asset.description && <Fact name="About">{asset.description}</Fact>}
        <Fact name="Key">
          <span class="mono">{asset.key}</span>
        </Fact>
        <Fact name="SHA-256">
          <span class="mono">{asset.sha256}</span>
        </Fact>
      </dl>
      <div class="row">
        <a class="button" href={path`/v1/asset/${asset.key}`} download>
          Download
        </a>
        <button class="button danger" onClick={() => setAsks(true)}>
          <Icon name="trash" size={15} /> Delete
        </button>
      </div>
      <Uses key={asset.key} asset={asset} />
      <Versions asset={asset} moved={key => (again(), go(href('assets', key)))} />
      {asks && (
        <Dialog title={`Delete ${asset.name || asset.key}?`} onClose={() => setAsks(false)}>
          <form onSubmit={event => (event.preventDefault(), void remove())}>
            <p>This version of it goes for good. Things that show it are boxes then.</p>
            <footer>
              <button class="button" type="button" onClick={() => setAsks(false)}>
                Keep it
              </button>
              <button class="button danger">Delete it</button>
            </footer>
          </form>
        </Dialog>
      )}
    </section>
  )
}
