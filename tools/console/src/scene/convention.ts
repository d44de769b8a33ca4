// The axes in which numbers are shown. The server turns them; the picture stays.
import { signal } from '@preact/signals'

export type Vector = [number, number, number]
export type Axes = [Vector, Vector, Vector]

const [right, left, up, down, back, forward]: Vector[] = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]]

// Where x, y and z of each point, in the axes of scenes.
export const conventions: Record<string, { title: string; unit: string; axes: Axes }> = {
  gltf: { title: 'glTF', unit: 'm', axes: [right!, up!, back!] },
  unity: { title: 'Unity', unit: 'm', axes: [right!, up!, forward!] },
  unreal: { title: 'Unreal', unit: 'cm', axes: [forward!, right!, up!] },
  ros: { title: 'ROS', unit: 'm', axes: [forward!, left!, up!] },
  enu: { title: 'ENU', unit: 'm', axes: [right!, forward!, up!] },
  cv: { title: 'CV', unit: 'm', axes: [right!, down!, forward!] },
  ned: { title: 'NED', unit: 'm', axes: [forward!, right!, down!] },
}

export const convention = signal('gltf')

export const asked = () => (convention.value === 'gltf' ? '' : `convention=${convention.value}`)
