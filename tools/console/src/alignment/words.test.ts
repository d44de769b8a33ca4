import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Correction, Graph, Link, LinkStatus } from '../api/types'
import { byNeed, changesOf, dashOf, isTie, linkName, reasonOf, shortOf, stateOf, widthOf, witnessesOf, worstFirst } from './words'

const link = (from: string, scene: string, status: LinkStatus = 'predicted', sigma_t_m = 0.05): Link => ({
  from, scene, status, sigma_t_m, sigma_r_rad: 0.01, residual_t_m: 0, residual_r_rad: 0, observations: 1, rejected: 0, devices: 1,
  transform: { translation: [0, 0, 0], rotation: [0, 0, 0] },
})
const graph = (...links: Link[]): Graph => ({ scenes: [], links, corrections: 0, cut: false, epoch: 1 })
const said = (device: string, members: Partial<Correction> = {}): Correction => ({
  id: device, device, scene: 'hall', sigma_t_m: 0.05, sigma_r_rad: 0.01, time_us: 1, pinned: false, residual_t_m: 0.01, residual_r_rad: 0,
  transform: { translation: [0, 0, 0], rotation: [0, 0, 0] }, ...members,
})

test('a line is the wider the surer its link is, within bounds', () => {
  assert.equal(4, widthOf(0.04))
  assert.equal(8, widthOf(0.001))
  assert.equal(2, widthOf(3))
  assert.equal(8, widthOf(0))
})

test('each status has dashes of its own', () => {
  const dashes = ['predicted', 'unverified', 'conflicting', 'none'].map(status => dashOf(status, 4))
  assert.equal(undefined, dashes[0])
  assert.equal(4, new Set(dashes).size)
})

test('a link has one name from both of its ends', () => {
  assert.equal(linkName(link('hall', 'lobby')), linkName(link('lobby', 'hall')))
})

test('links that need somebody come first', () => {
  const links = [link('a', 'b'), link('a', 'c', 'unverified', 0.1), link('a', 'd', 'conflicting'), link('a', 'e', 'unverified', 0.2)]
  assert.deepEqual(['d', 'e', 'c', 'b'], links.sort(byNeed).map(found => found.scene))
})

test('one against one is a tie, two against one is none', () => {
  const conflict = link('a', 'b', 'conflicting')
  assert.equal(true, isTie({ ...conflict, observations: 1, rejected: 1 }))
  assert.equal(false, isTie({ ...conflict, observations: 2, rejected: 1 }))
  assert.equal(false, isTie({ ...link('a', 'b'), observations: 0, rejected: 1 }))
})

test('a long title is cut between letters', () => {
  assert.equal('hall', shortOf('hall'))
  assert.equal('🏛🏛🏛…', shortOf('🏛🏛🏛🏛🏛', 4))
})

test('the worst residual comes first and what was replaced last', () => {
  const corrections = [said('good'), said('old', { superseded: true, residual_t_m: 9 }), said('bad', { residual_t_m: 2 }), said('new', { residual_t_m: undefined as never })]
  assert.deepEqual(['bad', 'good', 'new', 'old'], worstFirst(corrections).map(found => found.device))
})

test('states and reasons are told in words', () => {
  assert.equal('accepted', stateOf(said('a')))
  assert.equal('waiting', stateOf({ ...said('a'), residual_t_m: undefined as never }))
  assert.equal('superseded', stateOf(said('a', { superseded: true })))
  const rejected = said('a', { rejected: true, reason: 'scene_moved' })
  assert.equal('rejected', stateOf(rejected))
  assert.equal('A scene that it tells of has moved since.', reasonOf(rejected))
  assert.match(reasonOf({ ...rejected, reason: 'unclear' }), /nothing tells which/)
  assert.equal('of_a_later_version', reasonOf({ ...rejected, reason: 'of_a_later_version' }))
})

test('devices with corrections in both scenes tell of a link, rejected ones first', () => {
  const here = [said('one'), said('two', { residual_t_m: 0.02 }), said('alone'), said('one', { superseded: true, rejected: true })]
  const there = [said('two', { scene: 'lobby', rejected: true, residual_t_m: 3 }), said('one', { scene: 'lobby' })]
  const found = witnessesOf(here, there)
  assert.deepEqual(['two', 'one'], found.map(witness => witness.device))
  assert.deepEqual(['lobby'], found[0]!.scenes)
  assert.equal(3, found[0]!.residual_t_m)
  assert.equal('accepted', found[1]!.state)
})

test('what a change did is told of each link that it changed', () => {
  const before = graph(link('hall', 'roof', 'conflicting', 0.091), link('hall', 'lobby'), link('roof', 'attic'))
  const after = graph(link('roof', 'hall', 'unverified', 0.057), link('hall', 'lobby', 'predicted', 0.0501), link('hall', 'yard', 'unverified'))
  assert.deepEqual(
    ['Roof – hall was conflicting and is unverified, σ fell from 9.1 cm to 5.7 cm.', 'hall – yard is new: unverified, σ 5.0 cm.', 'Roof – attic is no more.'],
    changesOf(before, after, new Map([['roof', 'Roof']])),
  )
  assert.match(changesOf(before, before, new Map())[0]!, /solved again/)
})
