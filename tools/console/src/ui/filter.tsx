// The field that filters a list, how many it leaves, and what stands there if it leaves none.
import { setQuery } from '../app/router'
import { Icon } from './icon'
import { Empty } from './states'

export function Filter({ by, of, filter, shown, all }: { by: string; of: string; filter: string; shown: number; all: number }) {
  return (
    <>
      <label class="search">
        <Icon name="search" size={16} />
        <input type="search" placeholder={`Filter by ${by}`} aria-label={`Filter ${of}`} value={filter}
          onInput={event => setQuery('q', event.currentTarget.value)} />
      </label>
      <span class="count" role="status">
        {shown === all ? all : `${shown} of ${all}`}
      </span>
    </>
  )
}

export function NothingFits({ all }: { all: number }) {
  return (
    <Empty icon="search" title="Nothing fits">
      <button class="button" onClick={() => setQuery('q', '')}>
        Show all {all}
      </button>
    </Empty>
  )
}
