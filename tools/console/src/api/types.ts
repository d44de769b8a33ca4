// Records as /openapi.json describes them, by the names of the console, and what the console knows more of.
import type { records } from 'diorama-client'

export type Alignment = records.Alignment
export type Asset = records.Asset
export type Correction = records.Correction
export type Device = records.Device
export type DeviceReport = records.DeviceReport
export type GraphScene = records.GraphScene
export type History = records.History
export type Lock = records.Lock
export type Pose = records.Pose
export type Property = records.Property
export type Scene = records.SceneListed
export type Session = records.SessionReport
export type Thing = records.Object
export type Use = records.AssetUse

export type LinkStatus = 'none' | 'unverified' | 'predicted' | 'conflicting'
export type Link = With<records.Link, { status: LinkStatus }>
export type Graph = With<records.Graph, { links: Link[] }>
export type AlignmentReport = With<records.SceneAlignment, { links: Link[] }>

// A record with these members in place of its own.
type With<T, M> = Omit<T, keyof M> & M

// Somebody would like to have what a device holds: what the event `ask` says.
export interface Ask {
  object: string
  holder: string
  device: string
  message?: string
}
