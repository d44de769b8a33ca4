// Things without a model of their own: one InstancedMesh for each form, however many there are.
import {
  BoxGeometry, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, InstancedMesh, Matrix4, MeshLambertMaterial,
  OctahedronGeometry, PlaneGeometry, SphereGeometry, type Group,
} from 'three'
import type { Form } from './forms'

const forms: Record<Form, () => BufferGeometry> = {
  box: () => new BoxGeometry(1, 1, 1),
  sphere: () => new SphereGeometry(0.5, 24, 16),
  cylinder: () => new CylinderGeometry(0.5, 0.5, 1, 24),
  cone: () => new ConeGeometry(0.5, 1, 24),
  plane: () => new PlaneGeometry(1, 1).rotateX(-Math.PI / 2),
  light: () => new SphereGeometry(0.16, 16, 12),
  camera: () => new ConeGeometry(0.3, 0.5, 4).rotateY(Math.PI / 4).rotateX(Math.PI / 2),
  axes: () => new OctahedronGeometry(0.2),
}

// Places of one form; the last one moves into a place that becomes free.
class Pool {
  mesh: InstancedMesh
  readonly owners: number[] = []

  constructor(private readonly parent: Group, private readonly geometry: BufferGeometry, capacity: number) {
    this.mesh = this.make(capacity)
  }

  private make(capacity: number) {
    const mesh = new InstancedMesh(this.geometry, new MeshLambertMaterial(), capacity)
    mesh.instanceMatrix.setUsage(DynamicDrawUsage)
    mesh.setColorAt(0, new Color(1, 1, 1))
    mesh.count = 0
    mesh.frustumCulled = false
    mesh.userData['pool'] = this
    this.parent.add(mesh)
    return mesh
  }

  add(owner: number, color: Color): number {
    if (this.owners.length === this.mesh.instanceMatrix.count) {
      const old = this.mesh
      this.mesh = this.make(old.instanceMatrix.count * 2)
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array)
      this.mesh.instanceColor!.array.set(old.instanceColor!.array)
      this.parent.remove(old)
      old.dispose()
    }
    const slot = this.owners.push(owner) - 1
    this.mesh.count = this.owners.length
    this.mesh.setMatrixAt(slot, hidden)
    this.mesh.setColorAt(slot, color)
    this.mesh.instanceColor!.needsUpdate = true
    return slot
  }

  // Returns the owner of what moved into the place, or -1.
  remove(slot: number): number {
    const last = this.owners.pop()!
    this.mesh.count = this.owners.length
    if (slot === this.owners.length) return -1
    this.owners[slot] = last
    const { instanceMatrix, instanceColor } = this.mesh
    instanceMatrix.array.copyWithin(slot * 16, this.owners.length * 16, this.owners.length * 16 + 16)
    instanceColor!.array.copyWithin(slot * 3, this.owners.length * 3, this.owners.length * 3 + 3)
    instanceMatrix.needsUpdate = instanceColor!.needsUpdate = true
    return last
  }
}

const hidden = new Matrix4().makeScale(0, 0, 0)

export class Instances {
  private pools = new Map<Form, Pool>()
  private places = new Map<number, { pool: Pool; slot: number; form: Form; color: number }>()

  constructor(private readonly parent: Group) {}

  put(index: number, form: Form, color: number) {
    const old = this.places.get(index)
    if (old?.form === form && old.color === color) return
    const matrix = new Matrix4().copy(hidden)
    if (old) {
      old.pool.mesh.getMatrixAt(old.slot, matrix)
      this.remove(index)
    }
    let pool = this.pools.get(form)
    if (!pool) this.pools.set(form, (pool = new Pool(this.parent, forms[form]!(), 64)))
    const slot = pool.add(index, new Color(color))
    this.places.set(index, { pool, slot, form, color })
    pool.mesh.setMatrixAt(slot, matrix)
  }

  remove(index: number) {
    const place = this.places.get(index)
    if (!place) return
    this.places.delete(index)
    const moved = place.pool.remove(place.slot)
    if (moved >= 0) this.places.get(moved)!.slot = place.slot
  }

  has(index: number) {
    return this.places.has(index)
  }

  move(index: number, matrix: Matrix4) {
    const place = this.places.get(index)
    if (!place) return
    place.pool.mesh.setMatrixAt(place.slot, matrix)
    place.pool.mesh.instanceMatrix.needsUpdate = true
    place.pool.mesh.boundingSphere = null // it is made anew when somebody points at it
  }

  meshes() {
    return [...this.pools.values()].map(pool => pool.mesh)
  }

  ownerOf(mesh: InstancedMesh, slot: number): number {
    return (mesh.userData['pool'] as Pool).owners[slot] ?? -1
  }
}
