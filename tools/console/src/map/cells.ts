// Scenes that are too near each other to be told apart become one mark with their number. Pure.
import type { Look, Place, Size, Spot } from './mercator'
import { spotOf } from './mercator'

export interface Pin extends Place {
  key: string
}

export interface Mark extends Spot {
  radius: number
  keys: string[]
}

const CELL = 8 // pixels
const GAP = 3
const BUCKET = 64

export const radiusOf = (count: number) => (count === 1 ? 6 : Math.min(26, 9 + 3 * Math.log10(count) * 2))

// What is in the map, in cells of eight pixels; a cell gives way to a larger one that would hide it.
// Cells lie still on the Earth, so that marks do not jump while one moves the map.
export function marksOf(pins: Pin[], look: Look, size: Size): Mark[] {
  const cells = new Map<string, Mark>()
  const origin = spotOf({ latitude: 0, longitude: 0 }, look, size)
  for (const pin of pins) {
    const { x, y } = spotOf(pin, look, size)
    if (x < -CELL || y < -CELL || x > size.width + CELL || y > size.height + CELL) continue
    const name = `${Math.floor((x - origin.x) / CELL)} ${Math.floor((y - origin.y) / CELL)}`
    const cell = cells.get(name)
    if (!cell) cells.set(name, { x, y, radius: 0, keys: [pin.key] })
    else {
      cell.x += (x - cell.x) / (cell.keys.length + 1)
      cell.y += (y - cell.y) / (cell.keys.length + 1)
      cell.keys.push(pin.key)
    }
  }
  return apart([...cells.values()])
}

function apart(cells: Mark[]): Mark[] {
  const buckets = new Map<string, Mark[]>()
  const marks: Mark[] = []
  for (const cell of cells.sort((a, b) => b.keys.length - a.keys.length || a.keys[0]!.localeCompare(b.keys[0]!))) {
    cell.radius = radiusOf(cell.keys.length)
    const [column, row] = [Math.floor(cell.x / BUCKET), Math.floor(cell.y / BUCKET)]
    let larger: Mark | undefined
    for (let i = -1; i <= 1 && !larger; i++)
      for (let j = -1; j <= 1 && !larger; j++)
        larger = buckets.get(`${column + i} ${row + j}`)?.find(mark => Math.hypot(mark.x - cell.x, mark.y - cell.y) < mark.radius + cell.radius + GAP)
    if (larger) {
      larger.keys.push(...cell.keys)
      larger.radius = radiusOf(larger.keys.length)
      continue
    }
    marks.push(cell)
    const name = `${column} ${row}`
    if (!buckets.has(name)) buckets.set(name, [])
    buckets.get(name)!.push(cell)
  }
  return marks
}

// What one points at, the nearest.
export function markAt(marks: Mark[], at: Spot): Mark | undefined {
  const far = (mark: Mark) => Math.hypot(mark.x - at.x, mark.y - at.y)
  return marks.filter(mark => far(mark) < mark.radius + 6).sort((a, b) => far(a) - far(b))[0]
}
