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
}

export interface Thing {
  key: string
  name: string
  scene: string
  type: string
  subtype: string
  owner: string
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
}

export interface Session {
  auth: boolean
  user?: { id: string; username: string }
  admin: boolean
  expires_s?: number
  version: string
  epoch: number
}
