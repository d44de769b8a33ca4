// Devices as what they see: a frustum, coloured and marked by how sure their place is, and the
// ellipsoid of two standard deviations.
import {
  BufferAttribute, BufferGeometry, type Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, SphereGeometry,
} from 'three'
import type { Alignment } from '../../api/types'
import type { Palette } from './palette'

const WIDE = 0.34
const HIGH = 0.22
const LONG = 0.6

// Devices look along -Z, as everything here.
function corners() {
  return [[-WIDE, HIGH], [WIDE, HIGH], [WIDE, -HIGH], [-WIDE, -HIGH]].map(([x, y]) => [x!, y!, -LONG])
}

function edges() {
  const four = corners()
  const points: number[] = []
  four.forEach((corner, i) => {
    points.push(0, 0, 0, ...corner, ...corner, ...four[(i + 1) % 4]!)
  })
  points.push(-WIDE * 0.4, HIGH * 1.15, -LONG, 0, HIGH * 1.8, -LONG, 0, HIGH * 1.8, -LONG, WIDE * 0.4, HIGH * 1.15, -LONG)
  return new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points), 3))
}

function sides() {
  const [a, b, c, d] = corners() as [number[], number[], number[], number[]]
  const points = [[0, 0, 0], a, b, [0, 0, 0], b, c, [0, 0, 0], c, d, [0, 0, 0], d, a].flat()
  const geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(points), 3))
  geometry.computeVertexNormals()
  return geometry
}

const edgeGeometry = edges()
const sideGeometry = sides()
const ballGeometry = new SphereGeometry(1, 24, 16)

export type Surety = 'sure' | 'unsure' | 'wrong' | 'unknown'

export function suretyOf(alignment: Alignment | undefined): Surety {
  switch (alignment?.status) {
    case 'corrected':
    case 'predicted':
      return 'sure'
    case 'unverified':
      return 'unsure'
    case 'conflicting':
      return 'wrong'
    default:
      return 'unknown'
  }
}

export function colorOfSurety(surety: Surety, palette: Palette): Color {
  return { sure: palette.good, unsure: palette.warn, wrong: palette.bad, unknown: palette.accent }[surety]
}

export class DeviceMark extends Group {
  private lines = new LineSegments(edgeGeometry, new LineBasicMaterial())
  private faces = new Mesh(sideGeometry, new MeshBasicMaterial({ transparent: true, opacity: 0.14, side: DoubleSide, depthWrite: false }))
  private ball = new Mesh(ballGeometry, new MeshBasicMaterial({ transparent: true, opacity: 0.1, depthWrite: false }))

  constructor(index: number) {
    super()
    this.add(this.lines, this.faces, this.ball)
    this.matrixAutoUpdate = false
    for (const part of [this.faces, this.lines]) part.userData['index'] = index
  }

  show(alignment: Alignment | undefined, palette: Palette) {
    const color = colorOfSurety(suretyOf(alignment), palette)
    this.lines.material.color.copy(color)
    this.faces.material.color.copy(color)
    this.ball.material.color.copy(color)
    const sigma = alignment?.sigma_t_m ?? 0
    this.ball.visible = sigma > 0.005
    this.ball.scale.setScalar(Math.max(2 * sigma, 0.001))
  }
}
