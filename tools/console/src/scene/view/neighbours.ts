// Scenes beside this one as alignment places them: ghosts of their ground, and a line to each with how
// sure its place is.
import { BufferGeometry, type Color, GridHelper, Group, Line, LineDashedMaterial, type LineBasicMaterial, type Scene, Vector3 } from 'three'
import { askJson } from '../../api/http'
import type { Graph } from '../../api/types'
import { poseOfDevice } from '../../live/matrix'
import { POSE } from '../../live/protocol'
import { lengthOf } from '../../ui/units'

const FIRST = -100 // indexes of their labels go down from here
const WIDE = 10 // metres

export class Neighbours {
  private group = new Group()
  readonly names = new Map<number, string>()
  private places = new Map<number, Vector3>()

  constructor(scene: Scene) {
    scene.add(this.group)
  }

  clear() {
    for (const part of this.group.children) part.traverse(each => (each instanceof Line || each instanceof GridHelper) && each.geometry.dispose())
    this.group.clear()
    this.names.clear()
    this.places.clear()
  }

  async show(scene: string, color: Color): Promise<number> {
    const graph = await askJson<Graph>('GET', `/v1/alignment/graph?scene=${encodeURIComponent(scene)}&hops=1`)
    this.clear()
    const pose = new Float64Array(POSE)
    for (const other of graph.scenes) {
      if (other.key === scene || !other.pose) continue
      poseOfDevice(other.pose.translation, other.pose.rotation, pose, 0)
      const grid = new GridHelper(WIDE, WIDE, color, color)
      const material = grid.material as LineBasicMaterial
      material.transparent = true
      material.opacity = 0.4
      grid.position.set(pose[0]!, pose[1]! + 0.01, pose[2]!)
      grid.quaternion.set(pose[3]!, pose[4]!, pose[5]!, pose[6]!)
      const index = FIRST - this.names.size
      const at = grid.position.clone()
      const line = new Line(new BufferGeometry().setFromPoints([new Vector3(), at]), new LineDashedMaterial({ color, dashSize: 0.3, gapSize: 0.2 }))
      line.computeLineDistances()
      this.group.add(grid, line)
      this.places.set(index, at)
      this.names.set(index, `${other.key} σ ${lengthOf(other.sigma_t_m ?? 0)}`)
    }
    return this.names.size
  }

  positionOf(index: number) {
    return this.places.get(index)
  }
}
