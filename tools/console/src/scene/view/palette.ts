// Colours of the view, from the style sheet: dark and light follow the page.
import { Color } from 'three'

export interface Palette {
  ground: Color
  fine: Color
  coarse: Color
  accent: Color
  ink: Color
  good: Color
  warn: Color
  bad: Color
  isDark: boolean
}

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement)
  const color = (name: string) => new Color(style.getPropertyValue(name).trim())
  const isDark = document.documentElement.dataset['theme'] === 'dark'
  return {
    ground: color('--view'),
    fine: color('--view-fine'),
    coarse: color('--view-coarse'),
    accent: color('--accent'),
    ink: color('--ink'),
    good: color('--good'),
    warn: color('--warn'),
    bad: color('--bad'),
    isDark,
  }
}

const hues = [0x7aa2d6, 0xd69e6b, 0x7fb89a, 0xc58fb0, 0xb3a86a, 0x8d90cf, 0x6fb3bd, 0xc98a7d]

// A quiet colour that things of one sort share.
export function colorOf(sort: string): number {
  let hash = 7
  for (let i = 0; i < sort.length; i++) hash = (hash * 31 + sort.charCodeAt(i)) >>> 0
  return hues[hash % hues.length]!
}
