// What an asset shows: a picture, a sound, a film, text, a model, or its first bytes.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, path } from '../api/http'
import type { Asset } from '../api/types'
import type { Facts } from './model_preview'

const TEXT_BYTES = 32768
const HEX_BYTES = 512
const MODEL_BYTES = 64 << 20

export type Sort = 'image' | 'audio' | 'video' | 'model' | 'text' | 'bytes'

export function sortOf(asset: Asset): Sort {
  const type = asset.contentType.toLowerCase()
  if (type.includes('svg')) return 'text' // shown as text: it may hold scripts
  if (type.startsWith('image/')) return /png|jpe?g|gif|webp|avif|bmp/.test(type) ? 'image' : 'bytes'
  if (type.startsWith('audio/')) return 'audio'
  if (type.startsWith('video/')) return 'video'
  if (type === 'model/gltf-binary' || asset.fileType === 'glb') return 'model'
  if (type.startsWith('text/') || /json|xml|gltf|javascript/.test(type)) return 'text'
  return 'bytes'
}

function hexOf(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)]
    const hex = row.map(byte => byte.toString(16).padStart(2, '0')).join(' ')
    lines.push(`${at.toString(16).padStart(4, '0')}  ${hex.padEnd(47)}  ${row.map(byte => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')}`)
  }
  return lines.join('\n')
}

function Words({ asset, sort }: { asset: Asset; sort: Sort }) {
  const [words, setWords] = useState('')
  useEffect(() => {
    const most = sort === 'text' ? TEXT_BYTES : HEX_BYTES
    void ask('GET', path`/v1/asset/${asset.key}`, { headers: { Range: `bytes=0-${most - 1}` } })
      .then(answer => answer.arrayBuffer())
      .then(
        bytes => setWords(sort === 'text' ? new TextDecoder().decode(bytes) : hexOf(new Uint8Array(bytes).subarray(0, most))),
        failure => setWords(String((failure as Error).message)),
      )
  }, [asset.key])
  return (
    <pre class="code preview-text" tabIndex={0}>
      {words}
    </pre>
  )
}

function Model({ asset }: { asset: Asset }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [facts, setFacts] = useState<Facts | null>(null)
  const [failure, setFailure] = useState('')
  useEffect(() => {
    let end = () => {}
    let ended = false
    async function show() {
      if (asset.size > MODEL_BYTES) return setFailure('It is too large to be shown here.')
      const [{ showModel }, answer] = await Promise.all([import('./model_preview'), ask('GET', path`/v1/asset/${asset.key}`)])
      const shown = await showModel(await answer.arrayBuffer(), canvas.current!)
      if (ended) return shown.end()
      end = shown.end
      setFacts(shown.facts)
    }
    show().catch(problem => setFailure(`It cannot be shown: ${(problem as Error).message}`))
    return () => {
      ended = true
      end()
    }
  }, [asset.key])
  return (
    <>
      <canvas ref={canvas} class="preview-model" role="img" aria-label={`Model ${asset.name}`} hidden={failure !== ''} />
      {failure && <p class="refusal">{failure}</p>}
      {facts && (
        <p class="note">
          {new Intl.NumberFormat().format(Math.round(facts.triangles))} triangles in {facts.meshes} {facts.meshes === 1 ? 'mesh' : 'meshes'},{' '}
          {facts.size.map(side => side.toFixed(2)).join(' × ')} m
          {facts.animations.length > 0 && `, animations: ${facts.animations.join(', ')}`}
        </p>
      )}
    </>
  )
}

export function Preview({ asset }: { asset: Asset }) {
  const from = path`/v1/asset/${asset.key}`
  const sort = sortOf(asset)
  if (sort === 'image') return <img class="preview-image" src={from} alt={asset.name} />
  if (sort === 'audio') return <audio controls src={from} aria-label={asset.name} />
  if (sort === 'video') return <video class="preview-image" controls src={from} aria-label={asset.name} />
  if (sort === 'model') return <Model key={asset.key} asset={asset} />
  return <Words key={asset.key} asset={asset} sort={sort} />
}
