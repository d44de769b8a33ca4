// The screens that the rail, the field of Ctrl K and keys lead to.
import type { IconName } from '../ui/icon'

export interface Entry {
  screen: string
  title: string
  icon: IconName
  key: string // after g
}

export const entries: Entry[] = [
  { screen: '', title: 'Overview', icon: 'overview', key: 'o' },
  { screen: 'scenes', title: 'Scenes', icon: 'scenes', key: 's' },
  { screen: 'map', title: 'Map', icon: 'map', key: 'm' },
  { screen: 'assets', title: 'Assets', icon: 'assets', key: 'a' },
  { screen: 'alignment', title: 'Alignment', icon: 'alignment', key: 'l' },
  { screen: 'devices', title: 'Devices', icon: 'devices', key: 'd' },
  { screen: 'server', title: 'Server', icon: 'server', key: 'h' },
]
