import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceReport } from '../api/types'
import { marks, silent, troubleOf } from './device_state'

const device: DeviceReport = { place: 'hall phone', key: 'phone', scene: 'hall' }

test('who gets datagrams, or asked for none, needs no help', () => {
  for (const state of ['active', 'none', undefined]) assert.equal(troubleOf({ ...device, ...(state && { state }) }), '')
})

test('who gets nothing needs help, in words', () => {
  assert.equal(troubleOf({ ...device, state: 'unproven' }), 'did not prove its address: it gets nothing')
  assert.equal(troubleOf({ ...device, state: 'of-tomorrow' }), 'of-tomorrow')
})

test('feeds that get nothing are known states that need help', () => {
  for (const state of silent) assert.equal(troubleOf({ ...device, state }), marks[state]?.[2])
})

test('who contradicts others or does not keep up needs help', () => {
  assert.equal(troubleOf({ ...device, alignment: { status: 'conflicting' } }), 'its corrections contradict those of others')
  assert.equal(troubleOf({ ...device, state: 'active', behind: true }), 'takes less than it is sent')
})
