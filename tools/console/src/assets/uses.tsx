// What names an asset: the objects and scenes that would miss it.
import { useState } from 'preact/hooks'
import { askJson, path, refusalOf } from '../api/http'
import type { Asset, Use } from '../api/types'
import { href } from '../app/router'
import { Icon } from '../ui/icon'
import { say } from '../ui/toast'
import { countOf } from '../ui/units'
import { useAnswer } from '../ui/use_answer'

interface Page {
  total: number
  at_least?: boolean // there are more than are counted
  uses: Use[]
  next?: string
}

const readPage = (asset: string, after: string, signal?: AbortSignal) =>
  askJson<Page>('GET', path`/v1/asset/${asset}/uses` + `?limit=20&after=${encodeURIComponent(after)}`, { signal })

function Row({ use }: { use: Use }) {
  const isScene = use.kind === 'scene'
  return (
    <li>
      <Icon name={isScene ? 'scenes' : 'mesh'} size={16} />
      <span>{use.name || use.key}</span>
      <a href={href('scene', isScene ? use.key : use.scene)}>{isScene ? 'the scene' : `in ${use.scene}`}</a>
    </li>
  )
}

export function Uses({ asset }: { asset: Asset }) {
  const { value, failure } = useAnswer(signal => readPage(asset.key, '', signal), [asset.key])
  const [more, setMore] = useState<Page[]>([])
  const [isBusy, setBusy] = useState(false)
  if (failure) return <p class="note">What names it cannot be read: {refusalOf(failure)}</p>
  if (!value) return <p class="note">Uses…</p>
  const pages = [value, ...more], next = pages.at(-1)?.next

  async function showMore(after: string) {
    setBusy(true)
    try {
      const page = await readPage(asset.key, after)
      setMore(old => [...old, page])
    } catch (failure) {
      say(refusalOf(failure), true)
    } finally {
      setBusy(false)
    }
  }

  return (
    <section class="uses" aria-label="Uses">
      <h3>
        {countOf(value.total, 'use')}
        {value.at_least ? ' and more' : ''}
      </h3>
      {value.total === 0 && <p class="note">No object or scene that you may see names it.</p>}
      <ul>
        {pages.flatMap(page => page.uses.map(use => <Row key={`${use.kind} ${use.scene} ${use.key}`} use={use} />))}
      </ul>
      {next && (
        <button class="button small" disabled={isBusy} onClick={() => void showMore(next)}>
          Show more
        </button>
      )}
    </section>
  )
}
