// Handles to move, turn and scale one thing. Who grabs it gets the lock first; what they do is told
// while they do it, and once at the end.
import { Matrix4, MathUtils, Object3D, type PerspectiveCamera, type Scene } from 'three'
import type { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import { TransformControls } from 'three/examples/jsm/controls/TransformControls.js'
import { POSE } from '../../live/protocol'
import type { SceneModel } from '../model'

export type GizmoMode = 'select' | 'translate' | 'rotate' | 'scale'

// What the screen does with it.
export interface Grab {
  begin(index: number): void
  drag(index: number, pose: Float64Array): void
  end(index: number, pose: Float64Array, before: Float64Array): void
}

export class Gizmo {
  index = -1
  mode: GizmoMode = 'select'
  private controls: TransformControls
  private proxy = new Object3D()
  private before: Float64Array = new Float64Array(POSE)
  private dragging = false
  private endedAt = 0
  private keys: AbortController = new AbortController()

  constructor(
    camera: PerspectiveCamera,
    canvas: HTMLCanvasElement,
    orbit: OrbitControls,
    scene: Scene,
    private readonly grab: Grab,
    private readonly invalidate: () => void,
    private readonly hold: (index: number) => void,
  ) {
    this.controls = new TransformControls(camera, canvas)
    this.controls.setSize(0.8)
    this.controls.setColors('#d9484f', '#3fa66b', '#3d84e0', '#e5ad55')
    scene.add(this.proxy, this.controls.getHelper())
    this.controls.addEventListener('change', invalidate)
    this.controls.addEventListener('objectChange', () => this.drag())
    this.controls.addEventListener('dragging-changed', event => {
      orbit.enabled = !event.value
      if (event.value) this.begin()
      else this.finish()
    })
    const snap = (event: KeyboardEvent) => {
      this.controls.setTranslationSnap(event.ctrlKey ? 0.1 : null)
      this.controls.setRotationSnap(event.ctrlKey ? MathUtils.degToRad(15) : null)
      this.controls.setScaleSnap(event.ctrlKey ? 0.1 : null)
    }
    addEventListener('keydown', snap, { signal: this.keys.signal })
    addEventListener('keyup', snap, { signal: this.keys.signal })
  }

  end() {
    this.keys.abort()
    this.controls.detach()
    this.controls.dispose()
  }

  get isBusy() {
    return this.dragging || this.controls.axis !== null
  }

  // Whether it was let go by the present event.
  wasBusy() {
    return this.dragging || performance.now() - this.endedAt < 50
  }

  get matrix(): Matrix4 {
    this.proxy.updateMatrix()
    return this.proxy.matrix
  }

  setMode(mode: GizmoMode) {
    this.mode = mode
    if (mode !== 'select') this.controls.setMode(mode)
    this.controls.setSpace(mode === 'translate' ? 'world' : 'local')
  }

  take(index: number, model: SceneModel) {
    this.index = index
    if (this.mode === 'select') {
      this.controls.detach()
      return
    }
    this.refresh(model)
    this.controls.attach(this.proxy)
  }

  let() {
    this.index = -1
    this.controls.detach()
  }

  // Follows what others do with the thing.
  refresh(model: SceneModel) {
    if (this.index < 0 || this.dragging || !model.entries.has(this.index)) return
    const pose = model.newest(this.index)
    this.proxy.position.set(pose[0]!, pose[1]!, pose[2]!)
    this.proxy.quaternion.set(pose[3]!, pose[4]!, pose[5]!, pose[6]!)
    this.proxy.scale.set(pose[7]!, pose[8]!, pose[9]!)
    this.proxy.updateMatrixWorld()
  }

  private pose(): Float64Array {
    const { position, quaternion, scale } = this.proxy
    return Float64Array.of(...position.toArray(), quaternion.x, quaternion.y, quaternion.z, quaternion.w, ...scale.toArray())
  }

  private begin() {
    this.dragging = true
    this.before = this.pose()
    this.hold(this.index)
    this.grab.begin(this.index)
  }

  private drag() {
    if (!this.dragging) return
    this.grab.drag(this.index, this.pose())
    this.invalidate()
  }

  private finish() {
    if (!this.dragging) return
    this.dragging = false
    this.endedAt = performance.now()
    this.grab.end(this.index, this.pose(), this.before)
  }

  // Puts it back to where it was grabbed.
  cancel() {
    if (!this.dragging) return
    this.controls.reset()
    this.dragging = false
    this.grab.end(this.index, this.before, this.before)
  }

  // What is held is drawn as the server says again.
  release() {
    this.hold(-1)
  }
}
