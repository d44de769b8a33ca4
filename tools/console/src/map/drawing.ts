// Draws the map on a canvas. It brings the coasts with it, and is loaded when the map is first opened.
import { geoCircle, geoMercator, geoPath } from 'd3-geo'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import atlas from 'world-atlas/countries-110m.json'
import type { Mark } from './cells'
import { EARTH_KM, type Look, type Place, type Size, spotOf } from './mercator'

export interface Circle extends Place {
  km: number
}

export interface Colors {
  sea: string
  land: string
  coast: string
  grid: string
  faint: string
  accent: string
  accentInk: string
  ink: string
}

export interface Shown {
  look: Look
  size: Size
  marks: Mark[]
  near: string // key of the scene that one points at in the list
  circle: Circle | null
  pin: Place | null
  cross: boolean // the middle is shown, for those who steer by keys
}

const world = atlas as unknown as Topology<{ countries: GeometryCollection; land: GeometryCollection }>
const land = feature(world, world.objects.land)
const borders = mesh(world, world.objects.countries, (a, b) => a !== b)

const COARSE = 6e3 // pixels a radian: the coasts are right to some ten kilometres
const FADED = 6e4

// Lines of the grid, so many degrees apart: at least a label's width.
function stepOf(scale: number): number {
  const wish = (76 / scale) * (180 / Math.PI)
  return [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60].find(step => step >= wish) ?? 90
}

export function draw(context: CanvasRenderingContext2D, shown: Shown, colors: Colors) {
  const { look, size, marks, near, circle, pin, cross } = shown
  const projection = geoMercator().rotate([-look.longitude, 0]).center([0, look.latitude]).scale(look.scale)
    .translate([size.width / 2, size.height / 2]).clipExtent([[-8, -8], [size.width + 8, size.height + 8]])
  const path = geoPath(projection, context)
  context.clearRect(0, 0, size.width, size.height)
  context.fillStyle = colors.sea
  context.fillRect(0, 0, size.width, size.height)
  const isTrue = Math.max(0, Math.min(1, Math.log(FADED / look.scale) / Math.log(FADED / COARSE)))
  if (isTrue > 0) {
    context.globalAlpha = isTrue
    trace(context, () => path(land), colors.land, colors.coast, 1)
    trace(context, () => path(borders), '', colors.coast, 0.6)
    context.globalAlpha = 1
  }
  grid(context, look, size, colors)
  if (circle) ring(context, path, circle, look, size, colors)
  for (const mark of marks) bead(context, mark, mark.keys.includes(near), colors)
  if (pin) needle(context, spotOf(pin, look, size), colors)
  if (cross) crosshair(context, size, colors)
}

function trace(context: CanvasRenderingContext2D, path: () => void, fill: string, stroke: string, width: number) {
  context.beginPath()
  path()
  if (fill) {
    context.fillStyle = fill
    context.fill()
  }
  context.lineWidth = width
  context.strokeStyle = stroke
  context.stroke()
}

function grid(context: CanvasRenderingContext2D, look: Look, size: Size, colors: Colors) {
  const step = stepOf(look.scale)
  const digits = step < 1 ? Math.ceil(-Math.log10(step) - 1e-9) : 0
  context.lineWidth = 1
  context.strokeStyle = colors.grid
  context.fillStyle = colors.faint
  context.font = '11px system-ui, sans-serif'
  const reach = (size.width / 2 / look.scale) * (180 / Math.PI)
  context.beginPath()
  const first = Math.ceil((look.longitude - reach) / step) * step
  for (let i = 0; first + i * step <= look.longitude + reach && i < 60; i++) {
    const longitude = first + i * step
    const x = Math.round(size.width / 2 + ((longitude - look.longitude) * Math.PI * look.scale) / 180) + 0.5
    context.moveTo(x, 0)
    context.lineTo(x, size.height)
    const shown = ((((longitude + 180) % 360) + 360) % 360) - 180
    context.fillText(`${Math.abs(shown).toFixed(digits)}°${shown < 0 ? ' W' : shown > 0 ? ' E' : ''}`, x + 4, size.height - 6)
  }
  const top = Math.min(80, look.latitude + reach * (size.height / size.width) + step)
  for (let i = 0, latitude = Math.floor(top / step) * step; i < 60; i++, latitude -= step) {
    const { y } = spotOf({ latitude, longitude: look.longitude }, look, size)
    if (y > size.height || latitude < -80) break
    context.moveTo(0, Math.round(y) + 0.5)
    context.lineTo(size.width, Math.round(y) + 0.5)
    if (y > 16 && y < size.height - 26) context.fillText(`${Math.abs(latitude).toFixed(digits)}°${latitude < -1e-9 ? ' S' : latitude > 1e-9 ? ' N' : ''}`, 6, y - 4)
  }
  context.stroke()
}

function ring(context: CanvasRenderingContext2D, path: (object: ReturnType<typeof outlineOf>) => void, circle: Circle, look: Look, size: Size, colors: Colors) {
  context.beginPath()
  path(outlineOf(circle))
  context.globalAlpha = 0.12
  context.fillStyle = colors.accent
  context.fill()
  context.globalAlpha = 1
  context.lineWidth = 2
  context.strokeStyle = colors.accent
  context.stroke()
  const middle = spotOf(circle, look, size)
  context.beginPath()
  context.arc(middle.x, middle.y, 2.5, 0, 7)
  context.fillStyle = colors.accent
  context.fill()
}

function outlineOf({ longitude, latitude, km }: Circle) {
  return geoCircle().center([longitude, latitude]).radius(Math.min(179.9, (km / EARTH_KM) * (180 / Math.PI))).precision(2)()
}

function bead(context: CanvasRenderingContext2D, mark: Mark, isNear: boolean, colors: Colors) {
  context.beginPath()
  context.arc(mark.x, mark.y, mark.radius + (isNear ? 3 : 0), 0, 7)
  context.fillStyle = colors.accent
  context.fill()
  context.lineWidth = 2
  context.strokeStyle = isNear ? colors.ink : colors.sea
  context.stroke()
  if (mark.keys.length === 1) return
  context.fillStyle = colors.accentInk
  context.font = '600 12px system-ui, sans-serif'
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(mark.keys.length > 9999 ? '9999+' : String(mark.keys.length), mark.x, mark.y + 0.5)
  context.textAlign = 'start'
  context.textBaseline = 'alphabetic'
}

function needle(context: CanvasRenderingContext2D, { x, y }: { x: number; y: number }, colors: Colors) {
  context.beginPath()
  context.moveTo(x, y)
  context.bezierCurveTo(x - 3, y - 8, x - 9, y - 11, x - 9, y - 18)
  context.arc(x, y - 18, 9, Math.PI, 0)
  context.bezierCurveTo(x + 9, y - 11, x + 3, y - 8, x, y)
  context.fillStyle = colors.ink
  context.fill()
  context.beginPath()
  context.arc(x, y - 18, 3.5, 0, 7)
  context.fillStyle = colors.sea
  context.fill()
}

function crosshair(context: CanvasRenderingContext2D, { width, height }: Size, colors: Colors) {
  const [x, y] = [Math.round(width / 2) + 0.5, Math.round(height / 2) + 0.5]
  context.beginPath()
  for (const side of [-1, 1]) {
    context.moveTo(x + side * 5, y)
    context.lineTo(x + side * 14, y)
    context.moveTo(x, y + side * 5)
    context.lineTo(x, y + side * 14)
  }
  context.lineWidth = 2
  context.strokeStyle = colors.ink
  context.stroke()
}
