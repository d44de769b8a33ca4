// The axes in a corner: where x, y and z of the chosen convention point.
import { Quaternion, Vector3 } from 'three'
import { conventions } from '../convention'

const SIZE = 76
const LONG = 25
const names = ['x', 'y', 'z'] as const
const svgNames = 'http://www.w3.org/2000/svg'
const at = new Vector3()
const turned = new Quaternion()

export class Cross {
  private parts: { line: SVGElement; text: SVGElement; group: SVGElement }[]
  private svg: SVGElement

  constructor(overlay: HTMLElement) {
    const make = (name: string, parent: Element, attributes: Record<string, string> = {}) => {
      const part = document.createElementNS(svgNames, name)
      for (const [key, value] of Object.entries(attributes)) part.setAttribute(key, value)
      parent.append(part)
      return part
    }
    this.svg = make('svg', overlay, { class: 'cross', width: String(SIZE), height: String(SIZE), viewBox: `${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}` })
    this.parts = names.map(name => {
      const group = make('g', this.svg, { class: `cross-${name}` })
      const text = make('text', group, { 'text-anchor': 'middle', 'dominant-baseline': 'central' })
      const line = make('path', group)
      text.textContent = name
      return { line, text, group }
    })
  }

  place(camera: Quaternion, convention: string) {
    turned.copy(camera).invert()
    const { axes } = conventions[convention]!
    const drawn = axes.map((axis, i) => {
      at.set(...axis).applyQuaternion(turned)
      const [x, y] = [at.x * LONG, -at.y * LONG]
      const { line, text, group } = this.parts[i]!
      line.setAttribute('d', `M0 0L${x.toFixed(1)} ${y.toFixed(1)}`)
      text.setAttribute('x', (x * 1.32).toFixed(1))
      text.setAttribute('y', (y * 1.32).toFixed(1))
      return { group, depth: at.z }
    })
    drawn.sort((a, b) => a.depth - b.depth)
    if (drawn.some(({ group }, i) => this.svg.children[i] !== group)) this.svg.append(...drawn.map(({ group }) => group))
  }
}
