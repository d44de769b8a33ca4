import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conventions } from './convention'
import { type Exact, moved, typed, wordsOf } from './exact'

const { gltf, unreal, unity } = conventions as Record<string, (typeof conventions)[string]>
const pose = [1, 2, 3, 0, 0, 0, 1, 1, 1, 2]

function keys(act: Exact['act'], ...pressed: string[]) {
  return pressed.reduce<Exact | null>((exact, key) => typed(exact, act, key) ?? exact, null)!
}

test('an axis and a number move by so much', () => {
  const exact = keys('translate', 'y', '-', '2', '.', '5')
  assert.equal(wordsOf(exact, 'm'), 'Move y -2.5 m')
  assert.deepEqual([...moved(exact, pose, gltf!)!].slice(0, 3), [1, -0.5, 3])
})

test('the last axis counts, and a digit is taken back', () => {
  const exact = keys('translate', 'x', '4', '2', 'z', 'Backspace')
  assert.deepEqual([...moved(exact, pose, gltf!)!].slice(0, 3), [1, 2, 7])
})

test('a turn is about the axis of the scene', () => {
  const [x, y, z, w] = [...moved(keys('rotate', 'y', '9', '0'), pose, gltf!)!].slice(3, 7).map(value => Math.round(value * 1e6) / 1e6)
  assert.deepEqual([x, y, z, w], [0, 0.707107, 0, 0.707107])
})

test('a scale is a factor', () => {
  assert.deepEqual([...moved(keys('scale', 'z', '3'), pose, gltf!)!].slice(7), [1, 1, 6])
})

test('without a number nothing moves, and digits without an axis are other keys', () => {
  assert.equal(moved(keys('translate', 'x', '-'), pose, gltf!), null)
  assert.equal(typed(null, 'translate', '7'), undefined)
})

test('axes and units are those that are shown', () => {
  assert.deepEqual([...moved(keys('translate', 'x', '5', '0'), pose, unreal!)!].slice(0, 3), [1, 2, 2.5])
  assert.deepEqual([...moved(keys('scale', 'z', '3'), pose, unreal!)!].slice(7), [1, 3, 2])
})

test('in left-handed axes a turn goes the other way', () => {
  const y = (of: (typeof conventions)[string]) => moved(keys('rotate', 'y', '9', '0'), pose, of)![4]!
  assert.ok(Math.abs(y(unity!) + y(gltf!)) < 1e-9)
})
