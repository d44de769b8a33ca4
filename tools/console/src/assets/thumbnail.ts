// Small pictures of assets: the console makes one of a model that it has uploaded, and of others when
// somebody asks for it. What keeps it from that harms nothing: the asset has a sign instead.
import { signal } from '@preact/signals'
import { ask, askJson, path } from '../api/http'
import type { Asset } from '../api/types'

const MODEL_BYTES = 64 << 20

// Hashes of pictures that were made since lists were read, by the keys of their assets.
export const made = signal<Record<string, string>>({})

// Where the picture is, or ''. Another picture has another address, so no old one is shown.
export function thumbnailOf(asset: Asset): string {
  const hash = made.value[asset.key] ?? asset.thumbnail
  return hash ? `${path`/v1/asset/${asset.key}/thumbnail`}?of=${hash.slice(0, 8)}` : ''
}

let last: Promise<unknown> = Promise.resolve()

// One after the other: each needs a canvas of the graphics card.
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const next = last.then(work, work)
  last = next.catch(() => undefined)
  return next
}

async function make(key: string, read: () => Promise<ArrayBuffer>) {
  const { pictureOf } = await import('./model_picture')
  const picture = await pictureOf(await read())
  if (!picture) throw new Error('its picture is too large')
  const asset = await askJson<Asset>('PUT', path`/v1/asset/${key}/thumbnail`, { body: picture })
  made.value = { ...made.value, [key]: asset.thumbnail! }
}

// Of a file that was uploaded just now.
export function pictureUploaded(key: string, file: File) {
  if (/\.glb$/i.test(file.name) && file.size <= MODEL_BYTES) void inTurn(() => make(key, () => file.arrayBuffer())).catch(() => undefined)
}

// Of an asset whose bytes are read first; fails with why there is none.
export function pictureAsset(asset: Asset): Promise<void> {
  return inTurn(() => make(asset.key, async () => (await ask('GET', path`/v1/asset/${asset.key}`)).arrayBuffer()))
}

export function canPicture(asset: Asset): boolean {
  return asset.size <= MODEL_BYTES
}
