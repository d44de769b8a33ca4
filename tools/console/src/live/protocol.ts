// What pages and the worker say to each other.
import type { Kind } from 'diorama-client'
import type { Ask, Asset, Device, Property, Scene, Thing } from '../api/types'

export interface Entry {
  index: number // never used again within a stream
  kind: Kind
  key: string
  record: Omit<Thing, 'transform'> | Device | Property
}

export const POSE = 10 // numbers of a pose: position, quaternion x y z w, scale

export type Word = 'live' | 'catching up' | 'behind' | 'reconnecting' | 'signed out' | 'gone' | 'refused'

export const isConsole = (device: string) => /^console-[0-9a-f]{8}$/.test(device)

export interface State {
  word: Word
  until?: number // milliseconds of the calendar: when it is tried again
  detail?: string
  gaps: number
  seq: number
  changes: number // taken so far
  consoles: number // tabs that change things: devices, but nothing to see
}

export interface Batch {
  state?: State
  cleared?: boolean // a first batch: forget everything before
  entries?: Entry[] // new, or changed beside their pose
  gone?: number[]
  moved?: Uint32Array // indexes
  poses?: Float64Array // POSE numbers for each of them
  told?: Uint32Array // indexes of what the stream said has moved: an event each, without an entry in `happened`
  happened?: Happening[]
  asked?: Ask[]
}

export interface Happening {
  seq: number
  at: number // milliseconds of the calendar
  what: string
  key: string
}

export type Topic = 'scenes' | 'assets'

// What has happened to scenes, or to assets; after a reset they are to be listed anew.
export interface Listed {
  topic: Topic
  reset: boolean
  changes: { key: string; record: Scene | Asset | null }[] // null: it is not there any more
}

export type Values = (number | null)[] // one a second, the newest last; null: unknown

// What the server does and holds. The series are for administrators.
export interface Sample {
  disk: { free?: number; reserve: number; read_only: boolean }
  counts: Record<string, number>
  series?: Record<string, Values>
}

// A first sample has all seconds that are known, the others what is new.
export type Told = { isFirst: boolean; sample: Sample } | { isAway: true }

export type ToWorker = { do: 'watch'; scene: string } | { do: 'list'; topic: Topic } | { do: 'server' } | { do: 'next' } | { do: 'leave' } | { do: 'retry' }
