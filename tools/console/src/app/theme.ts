// Dark or light: as the system has it, unless somebody chose.
import { effect, signal } from '@preact/signals'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

function remembered(): Theme {
  try {
    return (localStorage.getItem('theme') as Theme) || 'system'
  } catch {
    return 'system' // storage may be forbidden
  }
}

export const theme = signal<Theme>(remembered())

const dark = matchMedia('(prefers-color-scheme: dark)')
const systemIsDark = signal(dark.matches)
dark.addEventListener('change', () => (systemIsDark.value = dark.matches))

export const isDark = signal(false)

effect(() => {
  isDark.value = theme.value === 'dark' || (theme.value === 'system' && systemIsDark.value)
  document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light'
  try {
    localStorage.setItem('theme', theme.value)
  } catch {
    // the choice lasts as long as the page
  }
})
