// What the picture of a graph consists of, for one size of it and one eye. Pure.
import type { Graph, GraphScene, Link } from '../api/types'
import { centimetresOf } from '../ui/units'
import { type Eye, FOOT, headingOf, labelPlaces, type Point, pointOf, pushApart, roomFor, type Size, type Told } from './layout'
import { byNeed, dashOf, linkName, lookOf, shortOf, widthOf } from './words'

export interface Spot extends Point {
  scene: GraphScene
  title: string
  half: number // of its label
  radius: number
  truly: Point | null // where it would be if it hid none; null: nobody knows where it is
  sure: number // radius of two standard deviations
  heading: Point | null
  told: Told | null // where its label stands; null: there is no room for it
}

export interface Line {
  link: Link
  name: string
  from: Spot
  to: Spot
  width: number
  dash: string | undefined
  words: string
  half: number // of its label
  label: Point | null // null: there is no room for it
}

export interface Drawing {
  spots: Spot[]
  lines: Line[] // those that need somebody last, so that no other hides them
  apart: number // height of the strip for scenes that are nowhere
  isFull: boolean // so many that marks are small and lines thin
}

const STRIP = 84
const LETTER = 6.7 // its width
const THIN = 0.7 // of the width of lines, where the picture is full

export const titleOf = (key: string, titles: Map<string, string>) => shortOf(titles.get(key) || key)

export function stripOf(graph: Graph): number {
  return graph.scenes.some(scene => !scene.pose) ? STRIP : 0
}

function spotsOf(graph: Graph, titles: Map<string, string>, eye: Eye, size: Size): Spot[] {
  return graph.scenes.map(scene => {
    const title = titleOf(scene.key, titles)
    const truly = scene.pose ? pointOf(scene.pose.translation[0], scene.pose.translation[2], eye, size) : null
    const half = Math.max(18, (title.length * LETTER) / 2)
    const sure = 2 * (scene.sigma_t_m ?? 0) * eye.scale
    return { scene, title, half, radius: 9, x: truly?.x ?? 0, y: truly?.y ?? 0, truly, sure, heading: scene.pose ? headingOf(scene.pose) : null, told: null }
  })
}

// Those that are nowhere, in a row below the picture.
function setApart(spots: Spot[], { width, height }: Size) {
  const step = Math.min(130, (width - 20) / Math.max(1, spots.length))
  spots.forEach((spot, i) => ([spot.x, spot.y] = [10 + step * (i + 0.5), height - STRIP + 38]))
}

function linesOf(graph: Graph, spots: Spot[], thin: number): Omit<Line, 'label'>[] {
  const byKey = new Map(spots.map(spot => [spot.scene.key, spot]))
  return [...graph.links].sort(byNeed).flatMap(link => {
    const [from, to] = [byKey.get(link.from ?? ''), byKey.get(link.scene)]
    if (!from || !to) return []
    const width = widthOf(link.sigma_t_m) * thin
    const words = `${link.status === 'predicted' ? '' : lookOf(link.status).sign + ' '}σ ${centimetresOf(link.sigma_t_m)}`
    return [{ link, name: linkName(link), from, to, width, dash: dashOf(link.status, width), words, half: words.length * 3.3 + 8 }]
  })
}

export function drawingOf(graph: Graph, titles: Map<string, string>, eye: Eye, size: Size): Drawing {
  const apart = stripOf(graph)
  const field = { width: size.width, height: size.height - apart }
  const spots = spotsOf(graph, titles, eye, field)
  const placed = spots.filter(spot => spot.truly)
  const seen = placed.filter(({ x, y }) => x >= 0 && x <= field.width && y >= 0 && y <= field.height)
  const { radius, above, below, isFull } = roomFor(seen.map(spot => spot.half), field)
  const marks = placed.map(({ x, y, half }) => ({ x, y, half: isFull ? radius + 3 : half + 3, above, below }))
  const points = pushApart(marks, { ...field, height: field.height - FOOT })
  placed.forEach((spot, i) => Object.assign(spot, points[i], { radius }))
  setApart(spots.filter(spot => !spot.truly), size)
  const lines = linesOf(graph, spots, isFull ? THIN : 1)
  const { ofMarks, ofLines } = labelPlaces(spots, lines)
  spots.forEach((spot, i) => (spot.told = ofMarks[i]!))
  return { spots, lines: lines.map((line, i) => ({ ...line, label: ofLines[i]! })).reverse(), apart, isFull }
}

// The order in which keys step through it: each scene, then the links that lead on from it.
export function stepsOf({ spots, lines }: Drawing): string[] {
  return spots.flatMap(spot => [`scene ${spot.scene.key}`, ...lines.filter(line => line.from === spot).map(line => `link ${line.name}`)])
}
