// Records as the server shows them; only what the console reads.

export interface Pose {
  translation: [number, number, number]
  rotation: [number, number, number]
}

export interface Alignment {
  status: 'none' | 'unverified' | 'predicted' | 'corrected' | 'conflicting'
  sigma_t_m?: number
  sigma_r_rad?: number
  observations?: number
  devices?: number
  path?: string[]
}

export interface Device {
  key: string
  transform?: Pose
  alignment?: Alignment
}

// A device in the list of all; what follows the scene is shown to its user and to administrators.
export interface DeviceReport {
  place: string
  key: string
  scene: string
  user?: string
  state?: string
  form?: string
  rate?: number
  convention?: string
  address?: string
  sent_s?: number
  lost_s?: number
  behind?: boolean
  heard_us?: number
  since_us?: number
  alignment?: Alignment
}

export interface Scene {
  key: string
  name: string
  description: string
  region: string
  latitude: number
  longitude: number
  active: boolean
  public: boolean
  assets: string[]
  tags: string[]
  user: string
  devices?: Device[]
  changed_us?: number // in lists
}

// Of an object. A lock without an end has no until_us.
export interface Lock {
  holder: string
  user?: string
  since_us: number
  until_us?: number
  fence: number
}

// Somebody would like to have what a device holds.
export interface Ask {
  object: string
  holder: string
  device: string
  message?: string
}

export interface Thing {
  key: string
  name: string
  scene: string
  type: string
  subtype: string
  owner: string
  lock?: Lock
  parent: string
  assets: string[]
  transform: number[] // 4×4, row-major
}

export interface Asset {
  key: string
  name: string
  description: string
  contentType: string
  fileType: string
  createdTimestamp: string
  size: number
  sha256: string
  user: string
  public: boolean
  thumbnail?: string // SHA-256 of its picture
}

export interface History {
  asset: string
  assetIds: string[] // newest first
}

export interface Session {
  auth: boolean
  user?: { id: string; username: string }
  admin: boolean
  expires_s?: number
  version: string
  epoch: number
}

export type LinkStatus = 'none' | 'unverified' | 'predicted' | 'conflicting'

// How one scene relates to another.
export interface Link {
  from?: string // in a graph: the scene that it leads from
  scene: string // the other one
  status: LinkStatus
  transform: Pose
  sigma_t_m: number
  sigma_r_rad: number
  residual_t_m: number
  residual_r_rad: number
  observations: number // that count
  rejected: number
  devices: number
}

// A scene of a graph, and where it is in the coordinates of the scene that was asked for.
export interface GraphScene {
  key: string
  fragment: string
  pose?: Pose
  sigma_t_m?: number
}

export interface Graph {
  scenes: GraphScene[]
  links: Link[]
  corrections: number
  cut: boolean
  epoch: number
}

// What a device said of where it stands in a scene, and how the solution judges that.
export interface Correction {
  id: string
  scene?: string
  device: string
  user?: string
  transform: Pose
  sigma_t_m: number
  sigma_r_rad: number
  method?: string
  time_us: number
  pinned: boolean
  superseded?: boolean
  rejected?: boolean
  reason?: string
  weight?: number
  residual_t_m?: number
  residual_r_rad?: number
  noise_factor?: number
}

export interface AlignmentReport {
  scene: string
  epoch: number
  as_of_us?: number // absent until a start has solved all
  rejected_share?: number
  links: Link[]
  corrections: Correction[]
}
