// Places on Earth and pixels of the map: Mercator, with one's own place in the middle. Pure.

export interface Place {
  latitude: number
  longitude: number
}

// What the map shows: a place in its middle, and how many pixels a radian there is.
export interface Look extends Place {
  scale: number
}

export interface Size {
  width: number
  height: number
}

export interface Spot {
  x: number
  y: number
}

export const EARTH_KM = 6371
export const MOST_SCALE = 1.2e8 // five centimetres a pixel
const TOP = 85 // degrees: the map ends there
const RADIAN = Math.PI / 180

const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))
export const wrapped = (longitude: number) => ((((longitude + 180) % 360) + 360) % 360) - 180
const highOf = (latitude: number) => Math.log(Math.tan(Math.PI / 4 + (clamp(latitude, -TOP, TOP) * RADIAN) / 2))
const latitudeOf = (high: number) => (2 * Math.atan(Math.exp(high)) - Math.PI / 2) / RADIAN

// The whole world is as wide as the map, or as high.
export const leastScale = (size: Size) => Math.max(size.width / (2 * Math.PI), size.height / (2 * highOf(TOP)))

export function spotOf(place: Place, look: Look, size: Size): Spot {
  return {
    x: size.width / 2 + wrapped(place.longitude - look.longitude) * RADIAN * look.scale,
    y: size.height / 2 - (highOf(place.latitude) - highOf(look.latitude)) * look.scale,
  }
}

export function placeOf(spot: Spot, look: Look, size: Size): Place {
  return {
    longitude: wrapped(look.longitude + (spot.x - size.width / 2) / look.scale / RADIAN),
    latitude: clamp(latitudeOf(highOf(look.latitude) - (spot.y - size.height / 2) / look.scale), -TOP, TOP),
  }
}

// No farther than the whole world, and no sky above or below it.
export function within(look: Look, size: Size): Look {
  const scale = clamp(look.scale, leastScale(size), MOST_SCALE)
  const room = Math.max(0, highOf(TOP) - size.height / 2 / scale)
  return { scale, longitude: wrapped(look.longitude), latitude: latitudeOf(clamp(highOf(look.latitude), -room, room)) }
}

export function panned(look: Look, size: Size, x: number, y: number): Look {
  return within({ ...look, ...placeOf({ x: size.width / 2 - x, y: size.height / 2 - y }, look, size) }, size)
}

// Nearer by a factor; what is at the spot stays there.
export function zoomed(look: Look, size: Size, at: Spot, factor: number): Look {
  const scale = clamp(look.scale * factor, leastScale(size), MOST_SCALE)
  const held = placeOf(at, look, size)
  const moved = spotOf(held, { ...look, scale }, size)
  return panned({ ...look, scale }, size, at.x - moved.x, at.y - moved.y)
}

// From where one sees all places; not nearer than `nearest` pixels a radian.
export function fitted(places: Place[], size: Size, nearest = 2e4): Look {
  if (places.length === 0) return within({ latitude: 25, longitude: 10, scale: 0 }, size)
  const from = places[0]!.longitude
  const easts = places.map(place => wrapped(place.longitude - from))
  const highs = places.map(place => highOf(place.latitude))
  const [west, east, low, high] = [Math.min(...easts), Math.max(...easts), Math.min(...highs), Math.max(...highs)]
  const room = 0.8
  const scale = Math.min((size.width * room) / ((east - west) * RADIAN || 1e-9), (size.height * room) / (high - low || 1e-9), nearest)
  return within({ latitude: latitudeOf((low + high) / 2), longitude: from + (west + east) / 2, scale }, size)
}

export function kilometresBetween(one: Place, other: Place): number {
  const half = (degrees: number) => Math.sin((degrees * RADIAN) / 2) ** 2
  const h = half(other.latitude - one.latitude) + Math.cos(one.latitude * RADIAN) * Math.cos(other.latitude * RADIAN) * half(other.longitude - one.longitude)
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(h)))
}

// How many pixels a kilometre is in the middle.
export const pixelsOfKm = (look: Look) => look.scale / EARTH_KM / Math.cos(look.latitude * RADIAN)
