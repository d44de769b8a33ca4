// Which screen the address names. Paths are below /console; keys in them are percent-encoded.
import { computed, signal } from '@preact/signals'

const base = '/console'

const address = signal(location.pathname + location.search)

export interface Place {
  screen: string // '' is the overview
  key: string
  query: URLSearchParams
}

export const place = computed<Place>(() => {
  const url = new URL(address.value, location.origin)
  const [screen = '', ...rest] = url.pathname.slice(base.length).split('/').filter(Boolean)
  return { screen, key: rest.map(decodeURIComponent).join('/'), query: url.searchParams }
})

export function href(screen: string, key = '') {
  return `${base}/${screen}${key ? '/' + encodeURIComponent(key) : ''}`
}

// The screen of alignment, with a scene in the middle.
export const around = (scene: string) => `${href('alignment')}?scene=${encodeURIComponent(scene)}`

export function go(to: string, replaces = false) {
  if (to === location.pathname + location.search) return
  history[replaces ? 'replaceState' : 'pushState'](null, '', to)
  address.value = to
  if (!replaces) scrollTo(0, 0)
}

// Changes one parameter of the address, without a step in the history.
export function setQuery(name: string, value: string) {
  const url = new URL(location.href)
  if (value) url.searchParams.set(name, value)
  else url.searchParams.delete(name)
  go(url.pathname + url.search, true)
}

addEventListener('popstate', () => {
  address.value = location.pathname + location.search
})

// Links of the console change the address without loading a page.
document.addEventListener('click', event => {
  const link = (event.target as Element).closest?.('a[href]') as HTMLAnchorElement | null
  if (!link || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
  if (link.origin !== location.origin || link.target || !link.pathname.startsWith(base + '/')) return
  event.preventDefault()
  go(link.pathname + link.search)
})
