// What the states of a device's feed mean, in words and signs, and which of them need help. Pure.
import type { DeviceReport } from '../api/types'

// What each state of a feed looks like: not by its colour alone.
export const marks: Record<string, [sign: string, tone: string, words: string]> = {
  active: ['●', 'good', 'gets datagrams'],
  none: ['○', 'faint', 'asked for no datagrams'],
  pending: ['◐', 'warn', 'is to prove its address'],
  unproven: ['▲', 'warn', 'did not prove its address: it gets nothing'],
  paused: ['✕', 'bad', 'nobody answers there: it gets nothing until it registers again'],
  unreachable: ['✕', 'bad', 'the server cannot send to such an address'],
}

// The states of feeds that get nothing: some until somebody helps, one until it has proven its address.
export const silent = ['paused', 'unproven', 'unreachable', 'pending']

// What is wrong with a device; '' where nothing is.
export function troubleOf(device: DeviceReport): string {
  if (device.state && device.state !== 'active' && device.state !== 'none') return marks[device.state]?.[2] ?? device.state
  if (device.alignment?.status === 'conflicting') return 'its corrections contradict those of others'
  return device.behind ? 'takes less than it is sent' : ''
}
