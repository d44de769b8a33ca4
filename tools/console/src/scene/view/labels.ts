// Names in the view: of devices, and of what is selected. They are text beside the canvas, which
// lists say already.
import { type PerspectiveCamera, Vector3 } from 'three'
import type { Entry } from '../../live/protocol'
import { titleOf } from '../model'

const at = new Vector3()

export class Labels {
  private labels = new Map<number, HTMLElement>()
  private marked = -1
  private mark_: HTMLElement

  constructor(private readonly overlay: HTMLElement) {
    this.mark_ = this.make('label marked')
    this.mark_.hidden = true
  }

  private make(name: string) {
    const label = document.createElement('div')
    label.className = name
    this.overlay.append(label)
    return label
  }

  put(index: number, words: string) {
    let label = this.labels.get(index)
    if (!label) this.labels.set(index, (label = this.make('label')))
    label.textContent = words
  }

  remove(index: number) {
    this.labels.get(index)?.remove()
    this.labels.delete(index)
  }

  mark(index: number, entry: Entry | undefined) {
    this.marked = entry?.kind === 'object' ? index : -1
    if (entry) this.mark_.textContent = titleOf(entry)
    this.mark_.hidden = this.marked < 0
  }

  place(camera: PerspectiveCamera, width: number, height: number, positionOf: (index: number) => Vector3, isHidden: (index: number) => boolean) {
    const put = (label: HTMLElement, index: number) => {
      at.copy(positionOf(index)).project(camera)
      const isSeen = !isHidden(index) && at.z < 1 && Math.abs(at.x) < 1.1 && Math.abs(at.y) < 1.1
      label.style.visibility = isSeen ? 'visible' : 'hidden'
      if (isSeen) label.style.transform = `translate(${((at.x + 1) / 2) * width}px, ${((1 - at.y) / 2) * height}px)`
    }
    for (const [index, label] of this.labels) put(label, index)
    if (this.marked >= 0) put(this.mark_, this.marked)
  }
}
