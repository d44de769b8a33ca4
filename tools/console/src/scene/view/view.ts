// The view of a scene: draws when something changed and not otherwise, and tells what one points at.
import {
  AmbientLight, Box3, Box3Helper, DirectionalLight, Group, HemisphereLight, InstancedMesh, type LineBasicMaterial, Matrix4, type Object3D,
  PerspectiveCamera, Plane, Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import type { Device, Thing } from '../../api/types'
import { type Entry, POSE } from '../../live/protocol'
import { convention } from '../convention'
import { nameOf, type SceneModel } from '../model'
import { Cross } from './cross'
import { DeviceMark } from './devices'
import { Gizmo, type GizmoMode, type Grab } from './gizmo'
import { Ground } from './ground'
import { cornersOf, fit } from './fit'
import { formOf } from './forms'
import { Instances } from './instances'
import { Labels } from './labels'
import { copyOf, modelOf } from './models'
import { Neighbours } from './neighbours'
import { colorOf, palette } from './palette'
import { Ruler } from './ruler'

const pose = new Float64Array(POSE)
const place = new Vector3()
const turn = new Quaternion()
const size = new Vector3()
const matrix = new Matrix4()
const nowhere = new Matrix4().makeScale(0, 0, 0)
const MOST_OUTLINES = 60
const RULER = -50 // index of its label

export class View {
  readonly camera = new PerspectiveCamera(50, 1, 0.05, 20000)
  readonly gizmo: Gizmo
  frames = 0
  private renderer: WebGLRenderer
  private scene = new Scene()
  private things = new Group()
  private ground = new Ground()
  private orbit: OrbitControls
  private instances = new Instances(this.things)
  private marks = new Map<number, DeviceMark>()
  private models = new Map<number, { asset: string; group: Object3D | null }>()
  private outlines: Box3Helper[] = []
  private cross: Cross
  private ruler = new Ruler(this.scene)
  private neighbours = new Neighbours(this.scene)
  private measures = false
  private followed = -1
  private followedAt = new Vector3()
  private labels: Labels
  private colors = palette()
  private frame = 0
  private resizer: ResizeObserver
  private framed = false
  private awaited = 0 // models that are on their way
  private touched = false // somebody looks where they want to
  private held = -1 // index of what somebody holds: it is drawn where they hold it
  private ended = false

  constructor(private readonly model: SceneModel, private readonly canvas: HTMLCanvasElement, overlay: HTMLElement, grab: Grab) {
    this.renderer = new WebGLRenderer({ canvas, antialias: devicePixelRatio < 2, powerPreference: 'high-performance' })
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
    this.labels = new Labels(overlay)
    this.cross = new Cross(overlay)
    this.camera.position.set(6, 6.5, 9)
    this.orbit = new OrbitControls(this.camera, canvas)
    this.orbit.maxPolarAngle = Math.PI * 0.98
    this.orbit.addEventListener('change', this.invalidate)
    this.orbit.addEventListener('start', () => (this.touched = true))
    this.gizmo = new Gizmo(this.camera, canvas, this.orbit, this.scene, grab, this.invalidate, this.hold)
    const sun = new DirectionalLight(0xffffff, 1.6)
    sun.position.set(0.6, 1, 0.8)
    this.scene.add(new HemisphereLight(0xffffff, 0x8894a4, 1.5), new AmbientLight(0xffffff, 0.25), sun)
    this.scene.add(this.ground.mesh, this.things)
    this.paint()
    this.resizer = new ResizeObserver(() => this.resize())
    this.resizer.observe(canvas.parentElement!)
    this.resize() // the first look at everything needs the shape of the window
    this.listenToPointer()
    model.listener = { structure: this.restructure, moved: this.invalidate }
    this.restructure([...model.entries.values()], [])
  }

  end() {
    this.ended = true
    cancelAnimationFrame(this.frame)
    this.model.listener = null
    this.resizer.disconnect()
    this.gizmo.end()
    this.orbit.dispose()
    this.renderer.dispose()
  }

  // Colours of the page's present appearance.
  paint() {
    this.colors = palette()
    this.scene.background = this.colors.ground
    this.ground.paint(this.colors)
    for (const { material } of this.outlines) (material as LineBasicMaterial).color.copy(this.colors.accent)
    for (const [index, mark] of this.marks) mark.show((this.model.entries.get(index)?.record as Device | undefined)?.alignment, this.colors)
    this.invalidate()
  }

  invalidate = () => {
    if (!this.frame && !this.ended) this.frame = requestAnimationFrame(this.draw)
  }

  private hold = (index: number) => {
    this.held = index
    if (index < 0) for (const entry of this.model.entries.values()) this.model.moving.add(entry.index)
    this.invalidate()
  }

  private resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement!
    if (!clientWidth || !clientHeight) return
    this.renderer.setSize(clientWidth, clientHeight, false)
    this.camera.aspect = clientWidth / clientHeight
    this.camera.updateProjectionMatrix()
    this.invalidate()
  }

  private restructure = (changed: Entry[], gone: number[]) => {
    for (const index of gone) this.drop(index)
    for (const entry of changed) {
      if (entry.kind === 'device') this.putDevice(entry)
      else if (entry.kind === 'object') this.putObject(entry)
      this.model.moving.add(entry.index)
    }
    if (gone.includes(this.gizmo.index)) this.gizmo.let()
    if (gone.includes(this.followed)) this.followed = -1
    this.invalidate()
  }

  private putDevice(entry: Entry) {
    let mark = this.marks.get(entry.index)
    if (!mark) {
      this.marks.set(entry.index, (mark = new DeviceMark(entry.index)))
      this.things.add(mark)
    }
    mark.show((entry.record as Device).alignment, this.colors)
    this.labels.put(entry.index, entry.key)
  }

  private putObject(entry: Entry) {
    const { type, subtype, parent, assets } = entry.record as Thing
    const asset = assets?.[0] ?? ''
    const old = this.models.get(entry.index)
    if (old && old.asset !== asset) {
      if (old.group) this.things.remove(old.group)
      this.models.delete(entry.index)
    }
    if (!this.models.get(entry.index)?.group) this.instances.put(entry.index, formOf(type, subtype), colorOf(`${parent} ${type} ${subtype}`))
    if (!asset || this.models.has(entry.index)) return
    this.models.set(entry.index, { asset, group: null })
    this.awaited++
    void modelOf(asset).then(model => {
      if (--this.awaited === 0) queueMicrotask(this.settle)
      const mine = this.models.get(entry.index)
      if (!model || !mine || mine.asset !== asset || this.ended) return
      mine.group = copyOf(model, entry.index)
      this.things.add(mine.group)
      this.instances.remove(entry.index)
      this.model.moving.add(entry.index)
      this.invalidate()
    })
  }

  // A thing is as large as its model: once all have come and are drawn at their places, all is looked
  // at again, that one time.
  private settle = () => {
    if (!this.touched) this.framed = false
    this.touched = true
    this.invalidate()
  }

  private drop(index: number) {
    this.instances.remove(index)
    const mark = this.marks.get(index)
    if (mark) this.things.remove(mark)
    this.marks.delete(index)
    this.labels.remove(index)
    const { group } = this.models.get(index) ?? {}
    if (group) this.things.remove(group)
    this.models.delete(index)
  }

  private moveTo(index: number, at: Matrix4) {
    const isHidden = this.model.hidden.peek().has(index)
    this.instances.move(index, isHidden ? nowhere : at)
    const group = this.models.get(index)?.group
    if (group) {
      group.visible = !isHidden
      group.matrix.multiplyMatrices(at, group.userData['own'] as Matrix4)
      group.matrixWorldNeedsUpdate = true
    }
    const mark = this.marks.get(index)
    if (mark) {
      mark.visible = !isHidden
      mark.matrix.copy(at)
      mark.matrixWorldNeedsUpdate = true
    }
  }

  private matrixOf(index: number, now: number): boolean {
    const goesOn = this.model.poseAt(index, now, pose)
    place.set(pose[0]!, pose[1]!, pose[2]!)
    turn.set(pose[3]!, pose[4]!, pose[5]!, pose[6]!)
    size.set(pose[7]!, pose[8]!, pose[9]!)
    matrix.compose(place, turn, size)
    return goesOn
  }

  private draw = () => {
    this.frame = 0
    const now = performance.now()
    const { moving } = this.model
    for (let i = moving.count - 1; i >= 0; i--) {
      const index = moving.at(i)
      if (index === this.held) this.moveTo(index, this.gizmo.matrix)
      else {
        if (!this.matrixOf(index, now)) moving.delete(index)
        this.moveTo(index, matrix)
      }
    }
    if (this.held >= 0) this.moveTo(this.held, this.gizmo.matrix)
    if (!this.framed && this.model.loaded.peek() && this.model.entries.size) {
      this.framed = true
      this.frameAll()
    }
    this.goAlong()
    this.showSelection()
    this.ruler.follow(this.camera.position)
    this.gizmo.refresh(this.model)
    this.ground.follow(this.camera.position, this.camera.position.distanceTo(this.orbit.target))
    this.renderer.render(this.scene, this.camera)
    this.labels.place(this.camera, this.canvas.clientWidth, this.canvas.clientHeight, this.labelAt, index => this.model.hidden.peek().has(index))
    this.cross.place(this.camera.quaternion, convention.peek())
    this.frames++
    if (moving.count) this.invalidate()
  }

  positionOf(index: number): Vector3 {
    this.model.poseAt(index, performance.now(), pose)
    return place.set(pose[0]!, pose[1]!, pose[2]!)
  }

  // The box around one thing.
  private boxOf(index: number, ret: Box3): Box3 {
    const group = this.models.get(index)?.group ?? this.marks.get(index)
    if (group) {
      group.updateMatrixWorld(true)
      return ret.setFromObject(group)
    }
    if (index === this.held) matrix.copy(this.gizmo.matrix)
    else this.matrixOf(index, performance.now())
    ret.min.set(-0.5, -0.5, -0.5)
    ret.max.set(0.5, 0.5, 0.5)
    return ret.applyMatrix4(matrix)
  }

  private showSelection() {
    const chosen = this.model.chosen.peek().slice(0, MOST_OUTLINES).map(name => this.model.entry(name))
    const shown = chosen.filter(entry => entry !== undefined && entry.kind !== 'property' && !this.model.hidden.peek().has(entry.index)) as Entry[]
    shown.forEach((entry, i) => {
      if (!this.outlines[i]) {
        const outline = new Box3Helper(new Box3(), this.colors.accent)
        this.outlines.push(outline)
        this.scene.add(outline)
      }
      this.boxOf(entry.index, this.outlines[i]!.box).expandByScalar(0.02)
    })
    this.outlines.forEach((outline, i) => (outline.visible = i < shown.length))
  }

  // Labels stand at things, at neighbours, and at the ruler.
  private labelAt = (index: number) => {
    if (index === RULER) return this.ruler.middle ?? place.set(0, 0, 0)
    return this.neighbours.positionOf(index) ?? this.positionOf(index)
  }

  // Goes where the thing goes that one follows.
  private goAlong() {
    if (this.followed < 0) return
    const by = this.positionOf(this.followed).clone().sub(this.followedAt)
    if (!by.lengthSq()) return
    this.followedAt.add(by)
    this.camera.position.add(by)
    this.orbit.target.add(by)
  }

  // Goes along with it from now on; undefined: no more. Looks at it first.
  follow(entry: Entry | undefined) {
    this.followed = entry ? entry.index : -1
    if (!entry) return
    this.touched = true
    this.frameAll(entry)
    this.followedAt.copy(this.positionOf(entry.index))
  }

  // What is hidden or shown again is drawn anew.
  hide() {
    for (const index of this.model.entries.keys()) this.model.moving.add(index)
    this.invalidate()
  }

  // The next thing that is in view, from left to right.
  next(by: number): string {
    const seen: [number, string][] = []
    for (const entry of this.model.entries.values()) {
      if (entry.kind === 'property' || this.model.hidden.peek().has(entry.index)) continue
      const { x, y, z } = this.positionOf(entry.index).clone().project(this.camera)
      if (z < 1 && Math.abs(x) <= 1 && Math.abs(y) <= 1) seen.push([x, nameOf(entry.kind, entry.key)])
    }
    seen.sort((a, b) => a[0] - b[0])
    const at = seen.findIndex(([, name]) => name === this.model.selected.peek())
    return seen[(at < 0 && by < 0 ? seen.length - 1 : at + by + seen.length) % (seen.length || 1)]?.[1] ?? ''
  }

  async showNeighbours(isShown: boolean): Promise<number> {
    for (const index of this.neighbours.names.keys()) this.labels.remove(index)
    this.neighbours.clear()
    const count = isShown ? await this.neighbours.show(this.model.scene, this.colors.accent) : 0
    for (const [index, words] of this.neighbours.names) this.labels.put(index, words)
    this.invalidate()
    return count
  }

  // While one measures, clicks are ends of the ruler. Two selected things are measured at once.
  measure(isOn: boolean) {
    this.measures = isOn
    this.ruler.clear()
    const both = this.model.chosen.peek().map(name => this.model.entry(name)).filter(entry => entry && entry.kind !== 'property') as Entry[]
    if (isOn && both.length === 2) for (const entry of both) this.ruler.add(this.positionOf(entry.index))
    this.showRuler()
  }

  private showRuler() {
    if (this.ruler.words) this.labels.put(RULER, this.ruler.words)
    else this.labels.remove(RULER)
    this.invalidate()
  }

  // Looks at everything, or at what is selected.
  frameAll(only?: Entry) {
    const corners: Vector3[] = []
    const one = new Box3()
    for (const entry of only ? [only] : this.model.entries.values()) if (entry.kind !== 'property') corners.push(...cornersOf(this.boxOf(entry.index, one)))
    const box = one.setFromPoints(corners)
    if (box.isEmpty()) corners.push(...cornersOf(box.set(new Vector3(-3, 0, -3), new Vector3(3, 2, 3))))
    const way = this.camera.position.clone().sub(this.orbit.target).normalize()
    const high = Math.tan((this.camera.fov * Math.PI) / 360)
    const away = fit(corners, box.getCenter(this.orbit.target), way, high * this.camera.aspect, high)
    this.camera.position.copy(this.orbit.target).addScaledVector(way, Math.max(away, only ? 1.2 : 4))
    this.orbit.update()
    this.invalidate()
  }

  // From above, the front or the right.
  look(x: number, y: number, z: number) {
    this.touched = true
    const away = this.camera.position.distanceTo(this.orbit.target)
    this.camera.position.set(x, y, z + (y ? 0.001 : 0)).multiplyScalar(away).add(this.orbit.target)
    this.orbit.update()
    this.invalidate()
  }

  // By keys: turns about the target, moves along the screen, comes nearer.
  steer(turnX: number, turnY: number, panX: number, panY: number, nearer: number) {
    this.touched = true
    const way = this.camera.position.clone().sub(this.orbit.target)
    const away = way.length()
    way.applyAxisAngle(this.camera.up, turnX)
    const side = new Vector3().crossVectors(this.camera.up, way).normalize()
    const tipped = way.clone().applyAxisAngle(side, turnY)
    if (Math.abs(tipped.clone().normalize().y) < 0.995) way.copy(tipped)
    way.setLength(Math.min(10000, Math.max(0.2, away * nearer)))
    const up = new Vector3().crossVectors(way, side).normalize()
    this.orbit.target.addScaledVector(side, panX * away).addScaledVector(up, panY * away)
    this.camera.position.copy(this.orbit.target).add(way)
    this.orbit.update()
    this.invalidate()
  }

  select() {
    const entry = this.model.entry(this.model.selected.peek())
    if (entry?.kind === 'object') this.gizmo.take(entry.index, this.model)
    else this.gizmo.let()
    this.labels.mark(entry?.index ?? -1, entry)
    this.invalidate()
  }

  setMode(mode: GizmoMode) {
    this.gizmo.setMode(mode)
    this.select()
  }

  private listenToPointer() {
    let [x, y, moved] = [0, 0, true]
    this.canvas.addEventListener('pointerdown', event => {
      ;[x, y] = [event.clientX, event.clientY]
      moved = event.button !== 0 || this.gizmo.isBusy
    })
    this.canvas.addEventListener('pointerup', event => {
      if (moved || Math.hypot(event.clientX - x, event.clientY - y) > 4 || this.gizmo.wasBusy()) return
      const [index, point] = this.pick(event)
      if (this.measures) {
        if (point) this.ruler.add(point)
        return this.showRuler()
      }
      const entry = this.model.entries.get(index)
      const adds = event.ctrlKey || event.shiftKey || event.metaKey
      if (entry || !adds) this.model.select(entry ? nameOf(entry.kind, entry.key) : '', adds)
    })
    this.canvas.addEventListener('dblclick', () => {
      const entry = this.model.entry(this.model.selected.peek())
      if (entry) this.frameAll(entry)
    })
  }

  // The thing under the pointer, and the point that is hit, of it or of the ground.
  private pick(event: PointerEvent): [number, Vector3 | null] {
    const box = this.canvas.getBoundingClientRect()
    const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2)
    const ray = new Raycaster()
    ray.params.Line.threshold = 0.05
    ray.setFromCamera(at, this.camera)
    for (const hit of ray.intersectObject(this.things, true)) {
      const isShared = hit.object instanceof InstancedMesh
      const index = isShared ? this.instances.ownerOf(hit.object as InstancedMesh, hit.instanceId!) : (hit.object.userData['index'] as number | undefined)
      if (index !== undefined && !this.model.hidden.peek().has(index)) return [index, hit.point]
    }
    return [-1, ray.ray.intersectPlane(new Plane(new Vector3(0, 1, 0)), new Vector3())]
  }
}
