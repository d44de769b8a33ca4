// Numbers as people type them, and angles.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anglesOf, readNumber, writeNumber } from './numbers'

test('a number is taken, or changes the old one', () => {
  const cases: [string, number | null][] = [
    ['2', 2], ['-2.5', -2.5], ['+0.5', 10.5], ['-=4', 6], ['*2', 20], ['/4', 2.5], ['1e-2', 0.01], ['1,5', 1.5], ['3 m', 3],
    ['', null], ['a', null], ['1..2', null], ['/0', null], ['--1', null], ['Infinity', null],
  ]
  for (const [typed, expected] of cases) assert.equal(readNumber(typed, 10, 'plain'), expected, typed)
})

test('angles are degrees unless radians are named', () => {
  assert.equal(readNumber('90deg', 0, 'degrees'), 90)
  assert.equal(readNumber('90°', 0, 'degrees'), 90)
  assert.ok(Math.abs(readNumber('3.14159265rad', 0, 'degrees')! - 180) < 1e-6)
})

test('numbers are written without needless digits', () => {
  assert.equal(writeNumber(1), '1')
  assert.equal(writeNumber(1.5004), '1.5')
  assert.equal(writeNumber(-0.0001), '0')
  assert.equal(writeNumber(100), '100')
})

test('angles of a quaternion are those of R = Ry · Rx · Rz', () => {
  const [x, y, z] = [0.3, -1.1, 2.0]
  const multiply = (a: number[], b: number[]) => [
    a[3]! * b[0]! + a[0]! * b[3]! + a[1]! * b[2]! - a[2]! * b[1]!,
    a[3]! * b[1]! - a[0]! * b[2]! + a[1]! * b[3]! + a[2]! * b[0]!,
    a[3]! * b[2]! + a[0]! * b[1]! - a[1]! * b[0]! + a[2]! * b[3]!,
    a[3]! * b[3]! - a[0]! * b[0]! - a[1]! * b[1]! - a[2]! * b[2]!,
  ]
  const about = (axis: number, angle: number) => [0, 1, 2].map(i => (i === axis ? Math.sin(angle / 2) : 0)).concat(Math.cos(angle / 2))
  const q = multiply(multiply(about(1, y), about(0, x)), about(2, z))
  const found = anglesOf(q).map(degrees => (degrees * Math.PI) / 180)
  ;[x, y, z].forEach((angle, i) => assert.ok(Math.abs(found[i]! - angle) < 1e-9, `${found}`))
})
