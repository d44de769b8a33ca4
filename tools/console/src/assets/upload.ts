// Uploads of files, three at a time, with their progress.
import { signal } from '@preact/signals'
import { ConnectionFailed, errorOf } from 'diorama-client'
import { path, refusalOf } from '../api/http'
import { pictureUploaded } from './thumbnail'

export interface Upload {
  id: number
  name: string
  part: number // 0 to 1
  key: string // of the asset, when it is there
  failure: string
}

export const uploads = signal<Upload[]>([])

const AT_ONCE = 3
const types: Record<string, string> = {
  glb: 'model/gltf-binary', gltf: 'model/gltf+json', obj: 'model/obj', stl: 'model/stl', ply: 'application/octet-stream', bvh: 'text/plain',
  usdz: 'model/vnd.usdz+zip', json: 'application/json', ktx2: 'image/ktx2', hdr: 'image/vnd.radiance',
}

let count = 0
let running = 0
const waiting: (() => void)[] = []

function change(id: number, members: Partial<Upload>) {
  uploads.value = uploads.value.map(upload => (upload.id === id ? { ...upload, ...members } : upload))
}

// XMLHttpRequest, because fetch tells nothing of what has left.
function send(url: string, form: FormData, progress: (part: number) => void): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.upload.onprogress = event => progress(event.total ? event.loaded / event.total : 0)
    request.onerror = () => reject(new ConnectionFailed())
    request.onload = () => {
      if (request.status === 200) return resolve(request.responseText)
      reject(errorOf(request.status, request.responseText))
    }
    request.send(form)
  })
}

// Uploads one file, as a new version of the asset `of` where that is said; the key of its asset, or
// '' where it was refused, which the list says.
export async function upload(file: File, of = ''): Promise<string> {
  const id = count++
  uploads.value = [...uploads.value, { id, name: file.name, part: 0, key: '', failure: '' }]
  if (running >= AT_ONCE) await new Promise<void>(resolve => waiting.push(resolve))
  running++
  try {
    const ending = /\.([\w-]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? ''
    const about = new URLSearchParams(of ? {} : { name: file.name })
    if (ending) about.set('file-type', ending)
    const type = file.type || types[ending]
    if (type) about.set('content-type', type)
    const form = new FormData()
    form.append('file', file)
    const key = await send(`/v1/asset${of && path`/${of}`}?${about}`, form, part => change(id, { part }))
    change(id, { part: 1, key })
    pictureUploaded(key, file)
    setTimeout(() => (uploads.value = uploads.value.filter(upload => upload.id !== id)), 4000)
    return key
  } catch (failure) {
    change(id, { failure: refusalOf(failure) })
    return ''
  } finally {
    running--
    waiting.shift()?.()
  }
}

export function forget(id: number) {
  uploads.value = uploads.value.filter(upload => upload.id !== id)
}
