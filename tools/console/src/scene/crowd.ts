// A crowd that this tab lets walk in an empty scene, so that one sees what a scene is: ten requests a
// second, each moves all. It walks until somebody ends it, or as long as the tab has the scene open.
import { signal } from '@preact/signals'
import { ask, askJson, isAway, path, refusalOf } from '../api/http'
import { say } from '../ui/toast'

const PEOPLE = 20
const EACH_MS = 100
const TALL = 1.7

// Where walker `i` is after some seconds: on a circle of its own, facing where it goes.
export function stepOf(i: number, seconds: number) {
  const away = 3 + (i % 5) * 1.3
  const way = i % 2 ? 1 : -1
  const angle = (i * 2 * Math.PI) / PEOPLE + (way * 1.3 * seconds) / away
  return {
    translation: [away * Math.cos(angle), TALL / 2, away * Math.sin(angle)],
    euler_rotation: [0, -angle + (way > 0 ? Math.PI : 0), 0],
  }
}

export class Crowd {
  readonly walks = signal(false)
  private keys: string[] = []
  private timer = 0
  private began = 0

  constructor(private readonly scene: string) {}

  private bulk<T>(body: object): Promise<T> {
    return askJson<T>('POST', path`/v1/scene/${this.scene}/bulk`, { body })
  }

  async start() {
    try {
      const create = Array.from({ length: PEOPLE }, (_, i) => ({ name: `walker ${i + 1}`, type: 'Mesh', subtype: 'Capsule', scale: [0.5, TALL, 0.5], ...stepOf(i, 0) }))
      this.keys = (await this.bulk<{ created: string[] }>({ create })).created
      this.began = performance.now()
      this.walks.value = true
      void this.step()
    } catch (failure) {
      say(refusalOf(failure), true)
    }
  }

  // The next step begins when the last one is taken: a slow server gets fewer.
  private async step() {
    if (!this.walks.peek()) return
    const seconds = (performance.now() - this.began) / 1000
    try {
      await this.bulk({ update: this.keys.map((key, i) => ({ key, ...stepOf(i, seconds) })) })
      this.timer = window.setTimeout(() => void this.step(), EACH_MS)
    } catch (failure) {
      if (isAway(failure)) this.timer = window.setTimeout(() => void this.step(), 1000)
      else this.walks.value = false // somebody deleted one, or the scene
    }
  }

  // They stand still.
  end() {
    clearTimeout(this.timer)
    this.walks.value = false
  }

  async remove() {
    this.end()
    await ask('POST', path`/v1/scene/${this.scene}/bulk`, { body: { delete: this.keys } }).catch(failure => say(refusalOf(failure), true))
  }
}
