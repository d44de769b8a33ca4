import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitted, kilometresBetween, leastScale, placeOf, spotOf, within, zoomed } from './mercator'

const size = { width: 800, height: 600 }
const cologne = { latitude: 50.94, longitude: 6.96 }
const near = (is: number, should: number, most = 1e-6) => assert.ok(Math.abs(is - should) <= most, `${is} is not ${should}`)

test('a place is found again where it is drawn', () => {
  for (const scale of [200, 1e4, 1e8]) {
    const look = { latitude: 50, longitude: 7, scale }
    const found = placeOf(spotOf(cologne, look, size), look, size)
    near(found.latitude, cologne.latitude)
    near(found.longitude, cologne.longitude)
  }
})

test('what is east of the date line is drawn beside what is west of it', () => {
  const spot = spotOf({ latitude: 0, longitude: -179 }, { latitude: 0, longitude: 179, scale: 1000 }, size)
  near(spot.x, 400 + (1000 * 2 * Math.PI) / 180)
})

test('what is under the pointer stays there as one comes nearer', () => {
  const look = { latitude: 20, longitude: 0, scale: 500 }
  const before = placeOf({ x: 600, y: 200 }, look, size)
  const after = placeOf({ x: 600, y: 200 }, zoomed(look, size, { x: 600, y: 200 }, 3), size)
  near(after.latitude, before.latitude)
  near(after.longitude, before.longitude)
})

test('no sky is seen', () => {
  const look = within({ latitude: 89, longitude: 540, scale: 0 }, size)
  near(look.scale, leastScale(size))
  near(look.longitude, -180)
  assert.ok(spotOf({ latitude: 85, longitude: 0 }, look, size).y <= 1e-6)
})

test('all places are seen, also across the date line', () => {
  const places = [{ latitude: -36.8, longitude: 174.8 }, { latitude: 21.3, longitude: -157.8 }]
  const look = fitted(places, size)
  for (const place of places) {
    const { x, y } = spotOf(place, look, size)
    assert.ok(x >= 0 && x <= size.width && y >= 0 && y <= size.height, `${x} ${y}`)
  }
})

test('distances are those of the server', () => {
  near(kilometresBetween(cologne, { latitude: 48.85, longitude: 2.35 }), 403, 2)
})
