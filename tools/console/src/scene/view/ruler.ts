// A line between two points, and how long it is.
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, type Scene, SphereGeometry, Vector3 } from 'three'
import { centimetresOf } from '../../ui/units'

export class Ruler {
  private points: Vector3[] = []
  private line: Line<BufferGeometry, LineBasicMaterial>
  private dots: Mesh<SphereGeometry, MeshBasicMaterial>[]

  constructor(scene: Scene) {
    const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(6), 3))
    this.line = new Line(geometry, new LineBasicMaterial({ color: 0xe5ad55, depthTest: false }))
    this.line.frustumCulled = false
    this.line.renderOrder = 5
    this.dots = [0, 1].map(() => {
      const dot = new Mesh(new SphereGeometry(0.012, 12, 8), new MeshBasicMaterial({ color: 0xe5ad55, depthTest: false }))
      dot.renderOrder = 5
      return dot
    })
    scene.add(this.line, ...this.dots)
    this.show()
  }

  clear() {
    this.points = []
    this.show()
  }

  // A third point begins anew.
  add(point: Vector3) {
    this.points = [...(this.points.length === 2 ? [] : this.points), point.clone()]
    this.show()
  }

  private show() {
    const [from, to] = this.points
    this.line.visible = to !== undefined
    this.dots.forEach((dot, i) => {
      dot.visible = this.points[i] !== undefined
      if (this.points[i]) dot.position.copy(this.points[i]!)
    })
    if (!from || !to) return
    const place = this.line.geometry.getAttribute('position') as BufferAttribute
    place.setXYZ(0, from.x, from.y, from.z)
    place.setXYZ(1, to.x, to.y, to.z)
    place.needsUpdate = true
  }

  // Dots are as large wherever one looks from.
  follow(eye: Vector3) {
    for (const dot of this.dots) dot.scale.setScalar(Math.max(0.1, eye.distanceTo(dot.position)) * 0.55)
  }

  get middle(): Vector3 | null {
    const [from, to] = this.points
    return from && to ? from.clone().add(to).multiplyScalar(0.5) : null
  }

  get words(): string {
    const [from, to] = this.points
    if (!from || !to) return ''
    const by = to.clone().sub(from)
    return `${centimetresOf(by.length())} (${[by.x, by.y, by.z].map(value => value.toFixed(2)).join(', ')})`
  }
}
