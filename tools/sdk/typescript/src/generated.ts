// generated.ts - written by generate.mjs from /openapi.json; a test says when it is not current.

/** RFC 9457; also readable as an envelope. */
export interface Problem {
  /** Identifies the kind of problem. */
  type: string
  /** The kind in one sentence. */
  title: string
  /** The status of the answer. */
  status: number
  /** Details of this problem. */
  detail: string
  /** As in answers of success. */
  msg_type: number
  /** The kind as a number. */
  err_code: number
  /** Place and detail in one sentence. */
  err_msg: string
  /** 0. */
  num_records: number
  /** The X-Request-Id of the answer. */
  request_id: string
  /** The device that holds the lock. */
  holder?: string
  /** The budget that is used up. */
  budget?: string
  /** The places in the body that are at fault. */
  errors: Array<{
    /** A JSON Pointer, empty for the whole request. */
    pointer: string
    /** What is wrong there. */
    detail: string
  }>
}

export interface ParamsRequest {
  /** Most records to return. */
  num_records?: number | null
  /** Most records to return. */
  limit?: number | null
  /** Records to skip. */
  start_record?: number | null
  /** Records to skip. */
  offset?: number | null
  /** How lists combine: 10 appends, 11 removes. */
  operation?: number | null
  transaction_id?: string | null | number | null
  fence?: number | null | Record<string, unknown> | null
}

export interface UdpState {
  /** active, pending (unproven) or none. */
  state: string
  /** Identifies the registration in datagrams. */
  token?: string
  /** Lifetime of the token: until the registration ends. */
  expires_s?: number
  /** In place of a token: names the registration in sealed datagrams, 16 hex digits. */
  seal_id?: string
  /** Key of its sealed datagrams, 32 bytes in base64url. */
  seal_key?: string
}

export interface SceneRequest {
  /** Identifies the scene. */
  key?: string | null
  /** Name for people. */
  name?: string | null
  /** Description for people. */
  description?: string | null
  /** The region that it belongs to. */
  region?: string | null
  /** Degrees north; any finite number. */
  latitude?: number | null
  /** Degrees east; any finite number. */
  longitude?: number | null
  /** Height of its origin above the WGS 84 ellipsoid; 0 if absent. */
  height_m?: number | null
  /** Where its -Z points: clockwise from true north, seen from above; 0 if absent. */
  heading_deg?: number | null
  /** Whether it is in use. */
  active?: boolean | null
  /** Whether users other than its own may see it. */
  public?: boolean | null
  /** Whether users other than its own may see it. */
  isPublic?: boolean | null
  /** Distance from the point of the query; in a filter, the radius. */
  distance?: number | null
  /** Keys of its assets. */
  assets?: string[] | null
  /** Keys of its assets. */
  asset_ids?: string[] | null
  /** Words to search by. */
  tags?: string[] | null
  /** Id of the user who owns it. */
  user?: string | null
  /** Key of the asset with its picture. */
  thumbnail?: string | null
  /** The devices registered to it. */
  devices?: DeviceRequest[] | null
}

export interface SceneKey {
  /** Identifies the scene. */
  key: string
}

export interface SceneListed {
  /** Identifies the scene. */
  key: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** The region that it belongs to. */
  region: string
  /** Degrees north; any finite number. */
  latitude: number
  /** Degrees east; any finite number. */
  longitude: number
  /** Height of its origin above the WGS 84 ellipsoid; 0 if absent. */
  height_m?: number
  /** Where its -Z points: clockwise from true north, seen from above; 0 if absent. */
  heading_deg?: number
  /** Whether it is in use. */
  active: boolean
  /** Whether users other than its own may see it. */
  public: boolean
  /** Keys of its assets. */
  assets: string[]
  /** Words to search by. */
  tags: string[]
  /** Id of the user who owns it. */
  user: string
  /** Key of the asset with its picture. */
  thumbnail: string
  /** When it was created, since 1970. */
  created_us?: number
  /** When it was changed last, since 1970. */
  changed_us?: number
}

export interface SceneFound {
  /** Identifies the scene. */
  key: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** The region that it belongs to. */
  region: string
  /** Degrees north; any finite number. */
  latitude: number
  /** Degrees east; any finite number. */
  longitude: number
  /** Height of its origin above the WGS 84 ellipsoid; 0 if absent. */
  height_m?: number
  /** Where its -Z points: clockwise from true north, seen from above; 0 if absent. */
  heading_deg?: number
  /** Whether it is in use. */
  active: boolean
  /** Whether users other than its own may see it. */
  public: boolean
  /** Whether users other than its own may see it. */
  isPublic: boolean
  /** Distance from the point of the query; in a filter, the radius. */
  distance: number
  /** Keys of its assets. */
  assets: string[]
  /** Keys of its assets. */
  asset_ids: string[]
  /** Words to search by. */
  tags: string[]
  /** Id of the user who owns it. */
  user: string
  /** Key of the asset with its picture. */
  thumbnail: string
}

export interface Scene {
  /** Identifies the scene. */
  key: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** The region that it belongs to. */
  region: string
  /** Degrees north; any finite number. */
  latitude: number
  /** Degrees east; any finite number. */
  longitude: number
  /** Height of its origin above the WGS 84 ellipsoid; 0 if absent. */
  height_m?: number
  /** Where its -Z points: clockwise from true north, seen from above; 0 if absent. */
  heading_deg?: number
  /** Whether it is in use. */
  active: boolean
  /** Whether users other than its own may see it. */
  public: boolean
  /** Distance from the point of the query; in a filter, the radius. */
  distance: number
  /** Keys of its assets. */
  assets: string[]
  /** Words to search by. */
  tags: string[]
  /** Id of the user who owns it. */
  user: string
  /** Key of the asset with its picture. */
  thumbnail: string
  /** The devices registered to it. */
  devices: Device[]
}

export interface SceneRegistered {
  /** Identifies the scene. */
  key?: string
  /** Whether it is in use. */
  active: boolean
  /** Whether users other than its own may see it. */
  public: boolean
  /** Distance from the point of the query; in a filter, the radius. */
  distance: number
  /** Keys of its assets. */
  assets: string[]
  /** Words to search by. */
  tags: string[]
  /** The devices registered to it. */
  devices: Device[]
  /** From the origin scene to this one, if derived. */
  transform?: Pose
}

export interface DeviceReport {
  /** Where it stands in the list; that of the last one is `after` of the next page. */
  place: string
  /** Key of the scene that it is registered to. */
  scene: string
  /** Key of the device. */
  key: string
  /** Id of the user who registered it. This and what follows are shown to that user and to administrators. */
  user?: string
  /** Of its feed: none, pending, unproven, active, paused or unreachable. */
  state?: string
  /** Of its datagrams: plain, packed, sealed or opentrackio. */
  form?: string
  /** Most datagrams a second that it asked for; packed form. */
  rate?: number
  /** Its axes, where they are not those of scenes. */
  convention?: string
  /** Where its datagrams go; for administrators. */
  address?: string
  /** Datagrams that it is sent a second, mean of some seconds. */
  sent_s?: number
  /** Changes a second that it missed and asked for again. */
  lost_s?: number
  /** Whether it is still to be sent what others of its scene have. */
  behind?: boolean
  /** When it was heard last: a datagram with its token, or its registration; since 1970 UTC. Absent where the server has not heard of it since it began. */
  heard_us?: number
  /** When its session began, since 1970 UTC. */
  since_us?: number
  /** Of a transform that it sent. What follows from others is in the answer of its scene. */
  alignment?: Alignment
  /** Where it is on Earth: GeoPose, Basic-Quaternion; of features. */
  geopose?: Geopose
}

export interface SceneAlignment {
  /** Key of the scene. */
  scene: string
  /** Grows with each relevant change of a link; 0 until a start has solved all. */
  epoch: number
  /** Corrections that came until then are in it; absent until a start has solved all. */
  as_of_us?: number
  /** Share of the evidence about this scene and all that it is connected with which disagrees with the rest. More than 0.2: what devices claim of their accuracy is wrong, or many of them lie. */
  rejected_share?: number
  /** certified: no other poses of all connected scenes explain the evidence that is not rejected better, beyond one standard deviation. local: that is not proven. */
  confidence?: string
  /** Links with other scenes. */
  links: Link[]
  /** Corrections that the links rest on. */
  corrections: Correction[]
}

export interface Correction {
  /** Identifies the correction within its scene. */
  id: string
  /** Key of the scene. */
  scene?: string
  /** Key of the device. */
  device: string
  /** Id of the user who sent it; shown to them and to administrators. */
  user?: string
  /** From device to scene coordinates. */
  transform: Pose
  /** Standard deviation of each coordinate of the translation. */
  sigma_t_m: number
  /** Standard deviation of the rotation about each axis. */
  sigma_r_rad: number
  /** How it was measured, as the device says. */
  method?: string
  /** Time of arrival since 1970. */
  time_us: number
  /** Pinned by an administrator: it is never rejected. */
  pinned: boolean
  /** A newer one of the same device replaces it. */
  superseded?: boolean
  /** It disagrees with the others. */
  rejected?: boolean
  /** Why it is rejected: disagrees (with the others), unclear (it disagrees, or what its device said of the other scene does: two corrections do not tell which), scene_moved (since then), too_far (from all others). */
  reason?: string
  /** Weight from 0 to 1. */
  weight?: number
  /** Distance from the solution. */
  residual_t_m?: number
  /** The same for its rotation. */
  residual_r_rad?: number
  /** How many times larger its sigmas are than claimed, as residuals of its method say; only if they deny the claim. */
  noise_factor?: number
}

export interface Relation {
  /** Key of the scene that is mapped. */
  from: string
  /** Key of the scene that it is mapped to. */
  to: string
  /** none, unverified, predicted or conflicting. */
  status: string
  /** certified: no other poses of all connected scenes explain the evidence that is not rejected better, beyond one standard deviation. local: that is not proven. */
  confidence?: string
  /** From coordinates of one scene to those of the other. */
  transform: Pose
  /** Standard deviation of the translation. */
  sigma_t_m?: number
  /** Standard deviation of the rotation. */
  sigma_r_rad?: number
  /** 36 numbers, row-major: covariance of (tx, ty, tz, rx, ry, rz), a twist on the left of the transform in the axes of the answer. */
  covariance?: number[]
  /** Pairs of corrections along the path. */
  observations: number
  /** Devices that sent them. */
  devices: number
  /** Keys of the scenes on the way there. */
  path: string[]
  /** Grows with each relevant change of a link; 0 until a start has solved all. */
  epoch: number
  /** Corrections that came until then are in it; absent until a start has solved all. */
  as_of_us?: number
}

export interface Graph {
  /** The scene that was asked for, then those that links lead to, the nearest first. */
  scenes: GraphScene[]
  /** Links between these scenes, each once. */
  links: Link[]
  /** Corrections in these scenes that count. */
  corrections: number
  /** There are more scenes or links within these hops than one answer takes. */
  cut: boolean
  /** Grows with each relevant change of a link; 0 until a start has solved all. */
  epoch: number
}

export interface BulkRequest {
  /** Objects to be made. */
  create?: ObjectRequest[] | null
  /** Objects to be changed: each says its key. */
  update?: ObjectRequest[] | null
  /** Keys of objects to be deleted. */
  delete?: string[] | null
  /** The same of properties. */
  properties?: BulkPropertiesRequest | null
  /** ETags that things of the scene must have, by key. */
  if?: Record<string, unknown> | null
  /** Fences of the locks that the client relies on, by the keys of objects that the request changes. */
  fence?: Record<string, unknown> | null
}

export interface BulkResult {
  /** Keys of the new objects, in the order of the request. */
  created: string[]
  /** Keys of the new properties, in the order of the request. */
  created_properties: string[]
}

export interface ObjectRequest {
  /** Key of the device that sends the update by UDP. */
  device?: string | null
  /** Feed token of the device that sends it by UDP. */
  token?: string | null
  /** Fence of the lock that whoever sends it relies on. */
  fence?: number | null
  /** Its animations. */
  actions?: ObjectActionRequest[] | null
  /** Position x, y, z. */
  translation?: number[] | null
  /** Angles x, y, z, in the order of euler_order. */
  euler_rotation?: number[] | null
  /** How the angles beside it are read: YXZ (R = Ry * Rx * Rz), XYZ, XZY, YZX, ZXY, ZYX. */
  euler_order?: string | null
  /** Rotation w, x, y, z. */
  quaternion_rotation?: number[] | null
  /** Factors along x, y, z. */
  scale?: number[] | null
  /** Where it is on Earth: GeoPose, Basic-Quaternion. In a request it wins over other translations and rotations. */
  geopose?: GeoposeRequest | null
  /** Identifies the object; generated. */
  key?: string | null
  /** Name for people. */
  name?: string | null
  /** Key of its scene. */
  scene?: string | null
  /** Kind of object: Curve, Mesh, … */
  type?: string | null
  /** Kind within the type: Sphere, Cube, … */
  subtype?: string | null
  /** Key of the device that holds its lock. */
  owner?: string | null
  /** Key of its parent object. */
  parent?: string | null
  /** Part of its asset that it shows. */
  asset_sub_id?: string | null
  /** Number of its animation frame. */
  frame?: number | null
  /** Time of its state, in units of the client. */
  timestamp?: number | null
  /** 4x4 matrix, row-major; translation at 3, 7, 11. */
  transform?: number[] | null
  /** Keys of its assets. */
  assets?: string[] | null
  /** Handles of x, y, z. */
  translation_handle?: HandleRequest[] | null
  /** Handles of w, x, y, z. */
  rotation_handle?: HandleRequest[] | null
  /** Handles of x, y, z. */
  scale_handle?: HandleRequest[] | null
  /** Words to search by. */
  tags?: string[] | null
  /** Whatever clients keep with it: any JSON but null and [], at most 4,096 bytes and 8 levels of arrays and objects. */
  extras?: unknown
  /** Whether it is to be shown. */
  visible?: boolean | null
  /** Its lock, if one is held. */
  lock?: LockRequest | null
}

export interface ObjectCreated {
  /** Identifies the object; generated. */
  key: string
  /** 4x4 matrix, row-major; translation at 3, 7, 11. */
  transform: number[]
}

export interface ObjectListed {
  /** Position x, y, z. */
  translation?: number[]
  /** Angles x, y, z, in the order of euler_order. */
  euler_rotation?: number[]
  /** How the angles beside it are read: YXZ (R = Ry * Rx * Rz), XYZ, XZY, YZX, ZXY, ZYX. */
  euler_order?: string
  /** Rotation w, x, y, z. */
  quaternion_rotation?: number[]
  /** Factors along x, y, z. */
  scale?: number[]
  /** Where it is on Earth: GeoPose, Basic-Quaternion. In a request it wins over other translations and rotations. */
  geopose?: Geopose
  /** Identifies the object; generated. */
  key: string
  /** Name for people. */
  name: string
  /** Key of its scene. */
  scene: string
  /** Kind of object: Curve, Mesh, … */
  type: string
  /** Kind within the type: Sphere, Cube, … */
  subtype: string
  /** Key of the device that holds its lock. */
  owner: string
  /** Key of its parent object. */
  parent: string
  /** Part of its asset that it shows. */
  asset_sub_id: string
  /** Number of its animation frame. */
  frame?: number
  /** Time of its state, in units of the client. */
  timestamp?: number
  /** 4x4 matrix, row-major; translation at 3, 7, 11. */
  transform: number[]
  /** Keys of its assets. */
  assets: string[]
  /** Handles of x, y, z. */
  translation_handle?: Handle[]
  /** Handles of w, x, y, z. */
  rotation_handle?: Handle[]
  /** Handles of x, y, z. */
  scale_handle?: Handle[]
  /** Words to search by. */
  tags?: string[]
  /** Whatever clients keep with it: any JSON but null and [], at most 4,096 bytes and 8 levels of arrays and objects. */
  extras?: unknown
  /** Whether it is to be shown. */
  visible?: boolean
  /** Its lock, if one is held. */
  lock?: Lock
  /** When it was changed last, since 1970. */
  changed_us?: number
  /** Its animations. */
  actions: ObjectAction[]
}

export interface Object {
  /** Identifies the object; generated. */
  key: string
  /** Name for people. */
  name: string
  /** Key of its scene. */
  scene: string
  /** Kind of object: Curve, Mesh, … */
  type: string
  /** Kind within the type: Sphere, Cube, … */
  subtype: string
  /** Key of the device that holds its lock. */
  owner: string
  /** Key of its parent object. */
  parent: string
  /** Part of its asset that it shows. */
  asset_sub_id: string
  /** Number of its animation frame. */
  frame?: number
  /** Time of its state, in units of the client. */
  timestamp?: number
  /** 4x4 matrix, row-major; translation at 3, 7, 11. */
  transform: number[]
  /** Keys of its assets. */
  assets: string[]
  /** Handles of x, y, z. */
  translation_handle?: Handle[]
  /** Handles of w, x, y, z. */
  rotation_handle?: Handle[]
  /** Handles of x, y, z. */
  scale_handle?: Handle[]
  /** Words to search by. */
  tags?: string[]
  /** Whatever clients keep with it: any JSON but null and [], at most 4,096 bytes and 8 levels of arrays and objects. */
  extras?: unknown
  /** Whether it is to be shown. */
  visible?: boolean
  /** Its lock, if one is held. */
  lock?: Lock
  /** Its animations. */
  actions: ObjectAction[]
}

export interface ObjectPlaced {
  /** Position x, y, z. */
  translation?: number[]
  /** Angles x, y, z, in the order of euler_order. */
  euler_rotation?: number[]
  /** How the angles beside it are read: YXZ (R = Ry * Rx * Rz), XYZ, XZY, YZX, ZXY, ZYX. */
  euler_order?: string
  /** Rotation w, x, y, z. */
  quaternion_rotation?: number[]
  /** Factors along x, y, z. */
  scale?: number[]
  /** Where it is on Earth: GeoPose, Basic-Quaternion. In a request it wins over other translations and rotations. */
  geopose?: Geopose
  /** Identifies the object; generated. */
  key: string
  /** Name for people. */
  name: string
  /** Key of its scene. */
  scene: string
  /** Kind of object: Curve, Mesh, … */
  type: string
  /** Kind within the type: Sphere, Cube, … */
  subtype: string
  /** Key of the device that holds its lock. */
  owner: string
  /** Key of its parent object. */
  parent: string
  /** Part of its asset that it shows. */
  asset_sub_id: string
  /** Number of its animation frame. */
  frame?: number
  /** Time of its state, in units of the client. */
  timestamp?: number
  /** 4x4 matrix, row-major; translation at 3, 7, 11. */
  transform: number[]
  /** Keys of its assets. */
  assets: string[]
  /** Handles of x, y, z. */
  translation_handle?: Handle[]
  /** Handles of w, x, y, z. */
  rotation_handle?: Handle[]
  /** Handles of x, y, z. */
  scale_handle?: Handle[]
  /** Words to search by. */
  tags?: string[]
  /** Whatever clients keep with it: any JSON but null and [], at most 4,096 bytes and 8 levels of arrays and objects. */
  extras?: unknown
  /** Whether it is to be shown. */
  visible?: boolean
  /** Its lock, if one is held. */
  lock?: Lock
  /** Its animations. */
  actions: ObjectAction[]
}

export interface LockWishRequest {
  /** Key of the device that is to hold the lock. */
  device?: string | null
  /** How long the lock runs unless it is renewed; absent: 30. */
  lease_s?: number | null
  /** Whether each write of the holder, by UDP too, renews it; absent: false. */
  renew?: boolean | null
  /** Whether it is taken from a device that holds it; absent: false. */
  force?: boolean | null
}

export interface AskWishRequest {
  /** Key of the device for which it is asked. */
  device?: string | null
  /** Words for whoever holds it. */
  message?: string | null
}

export interface ObjectActionRequest {
  /** Name within its object or property. */
  name?: string | null
  /** Description for people. */
  description?: string | null
  /** Keyframes in the order of their frames. */
  keyframes?: ObjectKeyframeRequest[] | null
  /** Frames a second. */
  fps?: number | null
  /** Whether it begins again at its end. */
  loop?: boolean | null
}

export interface ObjectKeyframeRequest {
  /** Position x, y, z. */
  translation?: number[] | null
  /** Angles x, y, z, in the order of euler_order. */
  euler_rotation?: number[] | null
  /** How the angles beside it are read: YXZ (R = Ry * Rx * Rz), XYZ, XZY, YZX, ZXY, ZYX. */
  euler_order?: string | null
  /** Rotation w, x, y, z. */
  quaternion_rotation?: number[] | null
  /** Factors along x, y, z. */
  scale?: number[] | null
  /** Number of the frame; may be negative. */
  frame?: number | null
  /** 4x4 matrix, row-major; translation at 3, 7, 11. */
  transform?: number[] | null
  /** Handles of x, y, z. */
  translation_handle?: HandleRequest[] | null
  /** Handles of w, x, y, z. */
  rotation_handle?: HandleRequest[] | null
  /** Handles of x, y, z. */
  scale_handle?: HandleRequest[] | null
}

export interface PropertyRequest {
  /** Feed token of the device that sends it by UDP. */
  token?: string | null
  /** Identifies the property; generated or chosen. */
  key?: string | null
  /** Name for people. */
  name?: string | null
  /** Key of its scene. */
  scene?: string | null
  /** Key of the object that it belongs to. */
  parent?: string | null
  /** Part of an asset that it refers to. */
  asset_sub_id?: string | null
  /** Number of its animation frame. */
  frame?: number | null
  /** Time of its state, in units of the client. */
  timestamp?: number | null
  /** Numbers or value records, as last written. */
  values?: Array<number | ValueRequest> | null
  /** Its animations. */
  actions?: PropertyActionRequest[] | null
}

export interface PropertyCreated {
  /** Identifies the property; generated or chosen. */
  key: string
}

export interface Property {
  /** Identifies the property; generated or chosen. */
  key: string
  /** Name for people. */
  name: string
  /** Key of its scene. */
  scene: string
  /** Key of the object that it belongs to. */
  parent: string
  /** Part of an asset that it refers to. */
  asset_sub_id: string
  /** Number of its animation frame. */
  frame?: number
  /** Time of its state, in units of the client. */
  timestamp?: number
  /** Numbers or value records, as last written. */
  values: Array<number | Value>
  /** Its animations. */
  actions: PropertyAction[]
}

export interface PropertyActionRequest {
  /** Name within its object or property. */
  name?: string | null
  /** Description for people. */
  description?: string | null
  /** Keyframes in the order of their frames. */
  keyframes?: PropertyKeyframeRequest[] | null
  /** Frames a second. */
  fps?: number | null
  /** Whether it begins again at its end. */
  loop?: boolean | null
}

export interface PropertyKeyframeRequest {
  /** Number of the frame; may be negative. */
  frame?: number | null
  /** Values at the frame. */
  values?: Array<number | ValueRequest> | null
}

export interface ProjectRequest {
  /** Identifies the project; generated. */
  id?: string | null
  /** Name for people. */
  name?: string | null
  /** Description for people. */
  description?: string | null
  /** Kind of project. */
  category?: string | null
  /** Words to search by. */
  tags?: string[] | null
  /** Words to search by. */
  tag?: string[] | null
  /** Key of the asset with its picture. */
  thumbnail?: string | null
  /** Id of the user who owns it. */
  user?: string | null
  /** Whether users other than its own may see it. */
  public?: boolean | null
  /** Whether users other than its own may see it. */
  isPublic?: boolean | null
  /** Its groups of scenes. */
  sceneGroups?: GroupRequest[] | null
  /** Ids of its asset collections. */
  assetCollectionIds?: string[] | null
}

export interface Project {
  /** Identifies the project; generated. */
  id: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** Kind of project. */
  category: string
  /** Words to search by. */
  tags: string[]
  /** Key of the asset with its picture. */
  thumbnail: string
  /** Id of the user who owns it. */
  user: string
  /** Whether users other than its own may see it. */
  public: boolean
  /** Its groups of scenes. */
  sceneGroups: Group[]
  /** Ids of its asset collections. */
  assetCollectionIds: string[]
}

export interface GroupRequest {
  /** Name within its project. */
  name?: string | null
  /** Description for people. */
  description?: string | null
  /** Kind of group. */
  category?: string | null
  /** Keys of its scenes. */
  scenes?: string[] | null
}

export interface CollectionRequest {
  /** Identifies the collection; generated. */
  id?: string | null
  /** Name for people. */
  name?: string | null
  /** Description for people. */
  description?: string | null
  /** Kind of collection. */
  category?: string | null
  /** Words to search by. */
  tags?: string[] | null
  /** Words to search by. */
  tag?: string[] | null
  /** Key of the asset with its picture. */
  thumbnail?: string | null
  /** Id of the user who owns it. */
  user?: string | null
  /** Whether users other than its own may see it. */
  public?: boolean | null
  /** Whether users other than its own may see it. */
  isPublic?: boolean | null
}

export interface Collection {
  /** Identifies the collection; generated. */
  id: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** Kind of collection. */
  category: string
  /** Words to search by. */
  tags: string[]
  /** Key of the asset with its picture. */
  thumbnail: string
  /** Id of the user who owns it. */
  user: string
  /** Whether users other than its own may see it. */
  public: boolean
}

export interface IdsRequest {
  /** Ids of the records to read; unknown ones are skipped. */
  ids?: string[] | null
}

export interface RelationshipRequest {
  /** Identifies the relationship; generated. */
  id?: string | null
  /** Key of the asset. */
  assetId?: string | null
  /** Part of the asset; empty for all of it. */
  assetSubId?: string | null
  /** Kind of the related record: scene, object, … */
  relationshipType?: string | null
  /** Role of the asset: mesh, thumbnail, … */
  relationshipSubtype?: string | null
  /** Key or id of the related record. */
  relatedId?: string | null
}

export interface Relationship {
  /** Identifies the relationship; generated. */
  id: string
  /** Key of the asset. */
  assetId: string
  /** Part of the asset; empty for all of it. */
  assetSubId: string
  /** Kind of the related record: scene, object, … */
  relationshipType: string
  /** Role of the asset: mesh, thumbnail, … */
  relationshipSubtype: string
  /** Key or id of the related record. */
  relatedId: string
}

export interface RelationIdsRequest {
  /** Relationships of these assets. */
  assetIds?: string[] | null
  /** Relationships to these records. */
  relatedIds?: string[] | null
}

export interface Asset {
  /** Key of this version; it never changes. */
  key: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** Its media type. */
  contentType: string
  /** Ending of the file's name. */
  fileType: string
  /** Purpose, as agreed among clients. */
  assetType: string
  /** Time of the upload: yyyy.MM.dd.HH.mm.ss, UTC. */
  createdTimestamp: string
  /** Size. */
  size: number
  /** SHA-256 of its bytes, in hex. */
  sha256: string
  /** Id of the user it belongs to. */
  user: string
  /** Whether everybody may read it. */
  public: boolean
  /** SHA-256 of its thumbnail, in hex; absent where it has none. */
  thumbnail?: string
  /** Of a glTF model: a sphere around it: x, y, z of its centre and its radius, in the axes of the file; absent where unknown. */
  bounds?: number[]
}

export interface Count {
  /** Number of assets. */
  count: number
}

export interface RestorationRequest {
  /** Key of the version that becomes the current one again. */
  version?: string | null
}

export interface AssetUse {
  /** object or scene. */
  kind: string
  /** Key of the object or scene. */
  key: string
  /** Its name for people. */
  name: string
  /** Of an object: key of its scene. */
  scene?: string
}

export interface History {
  /** Identifies the history. */
  id: string
  /** Always empty. */
  scene: string
  /** Always empty. */
  object: string
  /** Key of the current version. */
  asset: string
  /** Keys of all versions, newest first. */
  assetIds: string[]
}

export interface UserRequest {
  /** Identifies the user; generated. */
  id?: string | null
  /** Name to log in with; unique. */
  username?: string | null
  /** Password; never in an answer. */
  password?: string | null
  /** The present password: who is no administrator needs it to change the password. */
  currentPassword?: string | null
  email?: string[] | null | string | null
  /** Whether they are an administrator. */
  isAdmin?: boolean | null
  /** Whether they may log in. */
  isActive?: boolean | null
  /** Keys of favourite projects. */
  favoriteProjects?: string[] | null
  /** Keys of favourite scenes. */
  favoriteScenes?: string[] | null
}

export interface User {
  /** Identifies the user; generated. */
  id: string
  /** Name to log in with; unique. */
  username: string
  email: string[] | string
  /** Whether they are an administrator. */
  isAdmin: boolean
  /** Whether they may log in. */
  isActive: boolean
  /** Keys of favourite projects. */
  favoriteProjects: string[]
  /** Keys of favourite scenes. */
  favoriteScenes: string[]
}

export interface UserBudget {
  /** Id of the user. */
  user: string
  /** Requests a second. */
  requests?: number
  /** Streams of events of one user, or of one address without users; 0 = no limit. */
  streams?: number
  /** Uploads of one user or address at the same time; 0 = no limit. */
  uploads?: number
  /** Queries of one user or address that run at the same time; others wait; 0 = no limit. */
  queries?: number
  /** Answers of one user or address that are kept for a repeat with their Idempotency-Key; then the oldest goes; 0 = no limit. */
  idempotency_keys?: number
  /** Sessions of one user; the one that expires first ends; 0 = 64, the most. */
  sessions?: number
  /** Scenes that belong to one user; 0 = no limit. */
  scenes?: number
  /** Registrations of devices by one user; 0 = no limit. */
  registrations?: number
  /** Memory of the records of one user: scenes, registrations, objects, properties, assets, relationships, collections, projects; 0 = no limit. */
  record_bytes?: number
  /** Files of the assets of one user; 0 = no limit. */
  asset_bytes?: number
  /** Bodies of one user or address that arrive at the same time, but the first 32 KiB of each; others wait; 0 = no limit. */
  arriving_bytes?: number
  /** Memory that bodies of one user or address are read into at the same time; others wait; 0 = no limit. */
  parse_bytes?: number
  /** Records that the delta streams of one user or address keep, as their clients know them; a stream that would keep more ends; 0 = no limit. */
  stream_bytes?: number
}

export interface UserBudgetRequest {
  /** Id of the user. */
  user?: string | null
  /** Requests a second. */
  requests?: number | null
  /** Streams of events of one user, or of one address without users; 0 = no limit. */
  streams?: number | null
  /** Uploads of one user or address at the same time; 0 = no limit. */
  uploads?: number | null
  /** Queries of one user or address that run at the same time; others wait; 0 = no limit. */
  queries?: number | null
  /** Answers of one user or address that are kept for a repeat with their Idempotency-Key; then the oldest goes; 0 = no limit. */
  idempotency_keys?: number | null
  /** Sessions of one user; the one that expires first ends; 0 = 64, the most. */
  sessions?: number | null
  /** Scenes that belong to one user; 0 = no limit. */
  scenes?: number | null
  /** Registrations of devices by one user; 0 = no limit. */
  registrations?: number | null
  /** Memory of the records of one user: scenes, registrations, objects, properties, assets, relationships, collections, projects; 0 = no limit. */
  record_bytes?: number | null
  /** Files of the assets of one user; 0 = no limit. */
  asset_bytes?: number | null
  /** Bodies of one user or address that arrive at the same time, but the first 32 KiB of each; others wait; 0 = no limit. */
  arriving_bytes?: number | null
  /** Memory that bodies of one user or address are read into at the same time; others wait; 0 = no limit. */
  parse_bytes?: number | null
  /** Records that the delta streams of one user or address keep, as their clients know them; a stream that would keep more ends; 0 = no limit. */
  stream_bytes?: number | null
}

export interface ExportItem {
  /** Where it stands; that of the last one is `after` of the next page. */
  place: string
  /** Key of the scene that it is in. */
  in?: string
  /** Address that registered the device. */
  address?: string
  /** When it was registered, since 1970 UTC. */
  since_us?: number
  /** Path of the bytes of the asset. */
  file?: string
  /** The account; its password is stored as a hash, which is not shown. */
  user?: UserPrivate
  /** The limits of the user's own. */
  budget?: UserBudgetPrivate
  /** A session, without what its token is known by. */
  session?: SessionPrivate
  /** A device key that belongs to the user. */
  claim?: ClaimPrivate
  /** A scene that belongs to the user. */
  scene?: ScenePrivate
  /** A device of the user in a scene, whoever owns that. */
  registration?: DevicePrivate
  /** What a device of the user said about its place in a scene. */
  correction?: CorrectionPrivate
  /** A project that belongs to the user. */
  project?: ProjectPrivate
  /** An asset collection that belongs to the user. */
  collection?: CollectionPrivate
  /** An asset that belongs to the user. */
  asset?: AssetPrivate
  /** A relationship that the user made. */
  relationship?: RelationshipPrivate
}

export interface AuditLine {
  /** Counts lines, in the order in which they were written. */
  number: number
  /** When it was done, UTC. */
  time: string
  /** Id of the user who did it; empty if nobody was logged in. */
  user: string
  /** Where the request came from; empty for the server itself. */
  address: string
  /** X-Request-Id of the request, or of the first one counted. */
  request?: string
  /** X-Request-Id of the last request counted. */
  last_request?: string
  /** What was done: login, scene_put, user_promote … */
  operation: string
  /** What it was done to: scene, asset, user … */
  kind?: string
  /** Key or id of that. */
  key?: string
  /** Key of the scene that it is in. */
  scene?: string
  /** Status of the answer: 200, 401 … */
  outcome: number
  /** How many requests the line counts. */
  count?: number
  /** Hash of the line before of its class: BLAKE2b, 256 bits, of its bytes. */
  before: string
  /** Hash of this line as it is in the file. */
  hash?: string
  /** What it is about, and whose chain it is in: security, failures or writes. */
  class?: string
}

export interface SearchHit {
  /** scene, object, asset, project, collection or user. */
  kind: string
  /** Its key or id. */
  key: string
  /** Name for people. */
  name: string
  /** Of an object: key of its scene. */
  scene?: string
}

export interface SessionReport {
  /** Whether users log in; else everybody may do everything. */
  auth: boolean
  /** Who is logged in. */
  user?: User
  /** Whether the caller may do what administrators may. */
  admin: boolean
  /** Until the session ends by itself. */
  expires_s?: number
  /** Version of the server. */
  version: string
  /** Names this start of the server. */
  epoch: number
}

export interface Rotation {
  /** What was replaced: tokens, pub-key. */
  name: string
  /** The new public key of PUB, which subscribers need. */
  publicKey?: string
  /** The file on the server that has it. */
  file?: string
  /** How many sessions ended. */
  ended?: number
}

export interface Backup {
  /** Name of the backup and of its folder: when it began, UTC. */
  key: string
  /** `running`, `done`, or `failed`. */
  state: string
  /** When it began, in microseconds since 1970: what was acknowledged before is in it. */
  created_us: number
  /** How long it took. */
  took_ms?: number
  /** Form of the folder. */
  format?: number
  /** Version of the server. */
  version?: string
  /** Epoch of the server. */
  epoch?: number
  /** How many files it has. */
  files?: number
  /** Bytes of all its files. */
  bytes?: number
  /** Bytes that were written for it; others it shares with the server or with earlier backups. */
  copied?: number
  /** Files of assets that were damaged on the server's disk and are left out. */
  damaged?: number
  /** SHA-256 of the list of its files and their digests, in hex. */
  root?: string
  /** Names the store that its tables come from. */
  lineage?: string
  /** Why it failed, or why the log does not go on. */
  reason?: string
  /** Number of the newest commit when it began. */
  position?: number
  /** Nothing that was written after this time is in it, in microseconds since 1970. */
  reached_us?: number
  /** Names what `backup.log` has from it on without a gap. */
  chain?: string
  /** The log reaches until this time, in microseconds since 1970: a restore can go to any time from the backup on. */
  until_us?: number
}

export interface DeviceRequest {
  /** Identifies the device; generated if absent. */
  key?: string | null
  /** Address or name of the host for its UDP. */
  hostname?: string | null
  /** UDP port of that host. */
  port?: number | null
  /** Chooses the form of its feed. */
  connection_string?: string | null
  /** From device to scene coordinates. */
  transform?: PoseRequest | null
  /** Its axes: gltf (or godot, three), unity, unreal, ros, enu (or blender), cv, ned. */
  convention?: string | null
  /** Quality of its transform. */
  accuracy?: AccuracyRequest | null
}

export interface Device {
  /** Identifies the device; generated if absent. */
  key: string
  /** From device to scene coordinates. */
  transform: Pose
  /** Where it is on Earth: GeoPose, Basic-Quaternion. */
  geopose?: Geopose
  /** Origin of its transform. */
  alignment?: Alignment
  /** State of its feed, if this request registers it. */
  udp?: UdpState
}

export interface Pose {
  /** Transform of the device's origin in the scene. */
  translation: number[]
  /** Euler angles x, y, z; R = Rx * Ry * Rz. */
  rotation: number[]
}

export interface Alignment {
  /** none, unverified, predicted, corrected or conflicting. */
  status: string
  /** certified: no other poses of all connected scenes explain the evidence that is not rejected better, beyond one standard deviation. local: that is not proven. */
  confidence?: string
  /** Standard deviation of the translation. */
  sigma_t_m?: number
  /** Standard deviation of the rotation. */
  sigma_r_rad?: number
  /** 36 numbers, row-major: covariance of (tx, ty, tz, rx, ry, rz), a twist on the left of the transform in the axes of the answer. */
  covariance?: number[]
  /** Corrections that it rests on. */
  observations?: number
  /** Devices that sent them. */
  devices?: number
  /** Keys of the scenes on the way here. */
  path?: string[]
  /** Grows with each relevant change of a link. */
  epoch?: number
}

export interface Geopose {
  /** Where it is. */
  position: GeoposePosition
  /** Unit quaternion, from the body to east, north, up there. */
  quaternion: GeoposeQuaternion
}

export interface Link {
  /** Key of the other scene. */
  scene: string
  /** In a graph: key of the scene that it leads from. */
  from?: string
  /** none, unverified, predicted or conflicting. */
  status: string
  /** From this scene to the other one. */
  transform: Pose
  /** Standard deviation of the translation. */
  sigma_t_m: number
  /** Standard deviation of the rotation. */
  sigma_r_rad: number
  /** Distance of its observations from the solution. */
  residual_t_m: number
  /** The same for the rotation. */
  residual_r_rad: number
  /** Pairs of corrections that it rests on. */
  observations: number
  /** Pairs that disagree with the others. */
  rejected: number
  /** Devices that sent them. */
  devices: number
}

export interface GraphScene {
  /** Key of the scene. */
  key: string
  /** Key of the scene in whose coordinates its pose is. */
  fragment: string
  /** From its coordinates to those of that scene. */
  pose?: Pose
  /** Standard deviation of the translation. */
  sigma_t_m?: number
}

export interface BulkPropertiesRequest {
  /** Properties to be made. */
  create?: PropertyRequest[] | null
  /** Properties to be changed: each says its key. */
  update?: PropertyRequest[] | null
  /** Keys of properties to be deleted. */
  delete?: string[] | null
}

export interface GeoposeRequest {
  /** Where it is. */
  position?: GeoposePositionRequest | null
  /** Unit quaternion, from the body to east, north, up there. */
  quaternion?: GeoposeQuaternionRequest | null
}

export interface HandleRequest {
  /** Kind of the left end: vector, free, … */
  left_type?: string | null
  /** Left end, along the frames. */
  left_x?: number | null
  /** Left end, along the value. */
  left_y?: number | null
  /** Kind of the right end. */
  right_type?: string | null
  /** Right end, along the frames. */
  right_x?: number | null
  /** Right end, along the value. */
  right_y?: number | null
}

export interface LockRequest {
  /** Key of the device that holds it. */
  holder?: string | null
  /** Id of the user who took it; of a lease. */
  user?: string | null
  /** When it was taken, on the calendar. */
  since_us?: number | null
  /** When it ends, unless it is renewed; absent: it has no end. */
  until_us?: number | null
  /** Its number: each lock of the scene has a larger one. */
  fence?: number | null
}

export interface Handle {
  /** Kind of the left end: vector, free, … */
  left_type: string
  /** Left end, along the frames. */
  left_x: number
  /** Left end, along the value. */
  left_y: number
  /** Kind of the right end. */
  right_type: string
  /** Right end, along the frames. */
  right_x: number
  /** Right end, along the value. */
  right_y: number
}

export interface Lock {
  /** Key of the device that holds it. */
  holder: string
  /** Id of the user who took it; of a lease. */
  user?: string
  /** When it was taken, on the calendar. */
  since_us: number
  /** When it ends, unless it is renewed; absent: it has no end. */
  until_us?: number
  /** Its number: each lock of the scene has a larger one. */
  fence: number
}

export interface ObjectAction {
  /** Name within its object or property. */
  name: string
  /** Description for people. */
  description: string
  /** Keyframes in the order of their frames. */
  keyframes: ObjectKeyframe[]
  /** Frames a second. */
  fps?: number
  /** Whether it begins again at its end. */
  loop?: boolean
}

export interface ValueRequest {
  /** The number. */
  value?: number | null
  /** Kind of the left end of its handle: vector, free, … */
  left_type?: string | null
  /** Left end, along the frames. */
  left_x?: number | null
  /** Left end, along the value. */
  left_y?: number | null
  /** Kind of the right end. */
  right_type?: string | null
  /** Right end, along the frames. */
  right_x?: number | null
  /** Right end, along the value. */
  right_y?: number | null
}

export interface Value {
  /** The number. */
  value: number
  /** Kind of the left end of its handle: vector, free, … */
  left_type: string
  /** Left end, along the frames. */
  left_x: number
  /** Left end, along the value. */
  left_y: number
  /** Kind of the right end. */
  right_type: string
  /** Right end, along the frames. */
  right_x: number
  /** Right end, along the value. */
  right_y: number
}

export interface PropertyAction {
  /** Name within its object or property. */
  name: string
  /** Description for people. */
  description: string
  /** Keyframes in the order of their frames. */
  keyframes: PropertyKeyframe[]
  /** Frames a second. */
  fps?: number
  /** Whether it begins again at its end. */
  loop?: boolean
}

export interface Group {
  /** Name within its project. */
  name: string
  /** Description for people. */
  description: string
  /** Kind of group. */
  category: string
  /** Keys of its scenes. */
  scenes: string[]
}

export interface UserPrivate {
  /** Identifies the user; generated. */
  id: string
  /** Name to log in with; unique. */
  username: string
  email: string[] | string
  /** Whether they are an administrator. */
  isAdmin: boolean
  /** Whether they may log in. */
  isActive: boolean
  /** Keys of favourite projects. */
  favoriteProjects: string[]
  /** Keys of favourite scenes. */
  favoriteScenes: string[]
}

export interface UserBudgetPrivate {
  /** Id of the user. */
  user: string
  /** Requests a second. */
  requests?: number
  /** Streams of events of one user, or of one address without users; 0 = no limit. */
  streams?: number
  /** Uploads of one user or address at the same time; 0 = no limit. */
  uploads?: number
  /** Queries of one user or address that run at the same time; others wait; 0 = no limit. */
  queries?: number
  /** Answers of one user or address that are kept for a repeat with their Idempotency-Key; then the oldest goes; 0 = no limit. */
  idempotency_keys?: number
  /** Sessions of one user; the one that expires first ends; 0 = 64, the most. */
  sessions?: number
  /** Scenes that belong to one user; 0 = no limit. */
  scenes?: number
  /** Registrations of devices by one user; 0 = no limit. */
  registrations?: number
  /** Memory of the records of one user: scenes, registrations, objects, properties, assets, relationships, collections, projects; 0 = no limit. */
  record_bytes?: number
  /** Files of the assets of one user; 0 = no limit. */
  asset_bytes?: number
  /** Bodies of one user or address that arrive at the same time, but the first 32 KiB of each; others wait; 0 = no limit. */
  arriving_bytes?: number
  /** Memory that bodies of one user or address are read into at the same time; others wait; 0 = no limit. */
  parse_bytes?: number
  /** Records that the delta streams of one user or address keep, as their clients know them; a stream that would keep more ends; 0 = no limit. */
  stream_bytes?: number
}

export interface SessionPrivate {
  /** Hash of its token. */
  id: string
  /** Who is logged in: the id of a user. */
  user: string
  /** When it ends, since 1970 UTC. */
  expires: number
}

export interface ClaimPrivate {
  /** Key of the device. */
  device: string
  /** Id of the user who owns it. */
  user: string
}

export interface ScenePrivate {
  /** Identifies the scene. */
  key?: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** The region that it belongs to. */
  region: string
  /** Degrees north; any finite number. */
  latitude: number
  /** Degrees east; any finite number. */
  longitude: number
  /** Height of its origin above the WGS 84 ellipsoid; 0 if absent. */
  height_m?: number
  /** Where its -Z points: clockwise from true north, seen from above; 0 if absent. */
  heading_deg?: number
  /** Whether it is in use. */
  active: boolean
  /** Whether users other than its own may see it. */
  public: boolean
  /** Distance from the point of the query; in a filter, the radius. */
  distance: number
  /** Keys of its assets. */
  assets: string[]
  /** Words to search by. */
  tags: string[]
  /** Id of the user who owns it. */
  user: string
  /** Key of the asset with its picture. */
  thumbnail: string
  /** The devices registered to it. */
  devices: DevicePrivate[]
  /** From the origin scene to this one, if derived. */
  transform?: PosePrivate
}

export interface DevicePrivate {
  /** Identifies the device; generated if absent. */
  key: string
  /** Address or name of the host for its UDP. */
  hostname: string
  /** UDP port of that host. */
  port: number
  /** Chooses the form of its feed. */
  connection_string: string
  /** From device to scene coordinates. */
  transform: PosePrivate
  /** Where it is on Earth: GeoPose, Basic-Quaternion. */
  geopose?: GeoposePrivate
  /** Origin of its transform. */
  alignment?: AlignmentPrivate
  /** Its axes: gltf (or godot, three), unity, unreal, ros, enu (or blender), cv, ned. */
  convention?: string
  /** Quality of its transform. */
  accuracy?: AccuracyPrivate
  /** State of its feed, if this request registers it. */
  udp?: UdpStatePrivate
}

export interface CorrectionPrivate {
  /** Identifies the correction within its scene. */
  id: string
  /** Key of the scene. */
  scene?: string
  /** Key of the device. */
  device: string
  /** Id of the user who sent it; shown to them and to administrators. */
  user?: string
  /** From device to scene coordinates. */
  transform: PosePrivate
  /** Standard deviation of each coordinate of the translation. */
  sigma_t_m: number
  /** Standard deviation of the rotation about each axis. */
  sigma_r_rad: number
  /** How it was measured, as the device says. */
  method?: string
  /** Time of arrival since 1970. */
  time_us: number
  /** Pinned by an administrator: it is never rejected. */
  pinned: boolean
  /** A newer one of the same device replaces it. */
  superseded?: boolean
  /** It disagrees with the others. */
  rejected?: boolean
  /** Why it is rejected: disagrees (with the others), unclear (it disagrees, or what its device said of the other scene does: two corrections do not tell which), scene_moved (since then), too_far (from all others). */
  reason?: string
  /** Weight from 0 to 1. */
  weight?: number
  /** Distance from the solution. */
  residual_t_m?: number
  /** The same for its rotation. */
  residual_r_rad?: number
  /** How many times larger its sigmas are than claimed, as residuals of its method say; only if they deny the claim. */
  noise_factor?: number
}

export interface ProjectPrivate {
  /** Identifies the project; generated. */
  id: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** Kind of project. */
  category: string
  /** Words to search by. */
  tags: string[]
  /** Key of the asset with its picture. */
  thumbnail: string
  /** Id of the user who owns it. */
  user: string
  /** Whether users other than its own may see it. */
  public: boolean
  /** Its groups of scenes. */
  sceneGroups: GroupPrivate[]
  /** Ids of its asset collections. */
  assetCollectionIds: string[]
}

export interface CollectionPrivate {
  /** Identifies the collection; generated. */
  id: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** Kind of collection. */
  category: string
  /** Words to search by. */
  tags: string[]
  /** Key of the asset with its picture. */
  thumbnail: string
  /** Id of the user who owns it. */
  user: string
  /** Whether users other than its own may see it. */
  public: boolean
}

export interface AssetPrivate {
  /** Key of this version; it never changes. */
  key: string
  /** Name for people. */
  name: string
  /** Description for people. */
  description: string
  /** Its media type. */
  contentType: string
  /** Ending of the file's name. */
  fileType: string
  /** Purpose, as agreed among clients. */
  assetType: string
  /** Time of the upload: yyyy.MM.dd.HH.mm.ss, UTC. */
  createdTimestamp: string
  /** Size. */
  size: number
  /** SHA-256 of its bytes, in hex. */
  sha256: string
  /** Id of the user it belongs to. */
  user: string
  /** Whether everybody may read it. */
  public: boolean
  /** SHA-256 of its thumbnail, in hex; absent where it has none. */
  thumbnail?: string
  /** Of a glTF model: a sphere around it: x, y, z of its centre and its radius, in the axes of the file; absent where unknown. */
  bounds?: number[]
}

export interface RelationshipPrivate {
  /** Identifies the relationship; generated. */
  id: string
  /** Key of the asset. */
  assetId: string
  /** Part of the asset; empty for all of it. */
  assetSubId: string
  /** Kind of the related record: scene, object, … */
  relationshipType: string
  /** Role of the asset: mesh, thumbnail, … */
  relationshipSubtype: string
  /** Key or id of the related record. */
  relatedId: string
}

export interface PoseRequest {
  /** Transform of the device's origin in the scene. */
  translation?: number[] | null
  /** Euler angles x, y, z; R = Rx * Ry * Rz. */
  rotation?: number[] | null
}

export interface AccuracyRequest {
  /** Standard deviation of each coordinate of the translation. */
  sigma_t_m?: number | null
  /** Standard deviation of the rotation about each axis. */
  sigma_r_rad?: number | null
  /** How it was measured. */
  method?: string | null
}

export interface GeoposePosition {
  /** Degrees north, WGS 84. */
  lat: number
  /** Degrees east, WGS 84. */
  lon: number
  /** Height above the ellipsoid. */
  h: number
}

export interface GeoposeQuaternion {
  /** Turns about the axis that points right, or east. */
  x: number
  /** About the axis that points forward, or north. */
  y: number
  /** About the axis that points up. */
  z: number
  /** The real part. */
  w: number
}

export interface GeoposePositionRequest {
  /** Degrees north, WGS 84. */
  lat?: number | null
  /** Degrees east, WGS 84. */
  lon?: number | null
  /** Height above the ellipsoid. */
  h?: number | null
}

export interface GeoposeQuaternionRequest {
  /** Turns about the axis that points right, or east. */
  x?: number | null
  /** About the axis that points forward, or north. */
  y?: number | null
  /** About the axis that points up. */
  z?: number | null
  /** The real part. */
  w?: number | null
}

export interface ObjectKeyframe {
  /** Number of the frame; may be negative. */
  frame: number
  /** 4x4 matrix, row-major; translation at 3, 7, 11. */
  transform?: number[]
  /** Handles of x, y, z. */
  translation_handle?: Handle[]
  /** Handles of w, x, y, z. */
  rotation_handle?: Handle[]
  /** Handles of x, y, z. */
  scale_handle?: Handle[]
}

export interface PropertyKeyframe {
  /** Number of the frame; may be negative. */
  frame: number
  /** Values at the frame. */
  values: Array<number | Value>
}

export interface PosePrivate {
  /** Transform of the device's origin in the scene. */
  translation: number[]
  /** Euler angles x, y, z; R = Rx * Ry * Rz. */
  rotation: number[]
}

export interface GeoposePrivate {
  /** Where it is. */
  position: GeoposePositionPrivate
  /** Unit quaternion, from the body to east, north, up there. */
  quaternion: GeoposeQuaternionPrivate
}

export interface AlignmentPrivate {
  /** none, unverified, predicted, corrected or conflicting. */
  status: string
  /** certified: no other poses of all connected scenes explain the evidence that is not rejected better, beyond one standard deviation. local: that is not proven. */
  confidence?: string
  /** Standard deviation of the translation. */
  sigma_t_m?: number
  /** Standard deviation of the rotation. */
  sigma_r_rad?: number
  /** 36 numbers, row-major: covariance of (tx, ty, tz, rx, ry, rz), a twist on the left of the transform in the axes of the answer. */
  covariance?: number[]
  /** Corrections that it rests on. */
  observations?: number
  /** Devices that sent them. */
  devices?: number
  /** Keys of the scenes on the way here. */
  path?: string[]
  /** Grows with each relevant change of a link. */
  epoch?: number
}

export interface AccuracyPrivate {
  /** Standard deviation of each coordinate of the translation. */
  sigma_t_m?: number
  /** Standard deviation of the rotation about each axis. */
  sigma_r_rad?: number
  /** How it was measured. */
  method?: string
}

export interface UdpStatePrivate {
  /** active, pending (unproven) or none. */
  state: string
  /** Identifies the registration in datagrams. */
  token?: string
  /** Lifetime of the token: until the registration ends. */
  expires_s?: number
  /** In place of a token: names the registration in sealed datagrams, 16 hex digits. */
  seal_id?: string
  /** Key of its sealed datagrams, 32 bytes in base64url. */
  seal_key?: string
}

export interface GroupPrivate {
  /** Name within its project. */
  name: string
  /** Description for people. */
  description: string
  /** Kind of group. */
  category: string
  /** Keys of its scenes. */
  scenes: string[]
}

export interface GeoposePositionPrivate {
  /** Degrees north, WGS 84. */
  lat: number
  /** Degrees east, WGS 84. */
  lon: number
  /** Height above the ellipsoid. */
  h: number
}

export interface GeoposeQuaternionPrivate {
  /** Turns about the axis that points right, or east. */
  x: number
  /** About the axis that points forward, or north. */
  y: number
  /** About the axis that points up. */
  z: number
  /** The real part. */
  w: number
}

/** Every operation: its method and its path. */
export const operations = {
  /** Create a scene; its key is generated if absent. */
  sceneCreate: ["POST", "/v1/scene"],
  /** List scenes in pages: filtered, in any order. */
  sceneList: ["GET", "/v1/scene"],
  /** Find scenes by their fields; several filters are a union. */
  sceneQuery: ["POST", "/v1/scene/query"],
  /** Does nothing: scenes are loaded automatically. */
  sceneLoad: ["PUT", "/v1/scene/cache/{scene}"],
  /** Does nothing: scenes are unloaded automatically. */
  sceneUnload: ["DELETE", "/v1/scene/cache/{scene}"],
  /** Create a scene with this key, or update the fields sent. */
  scenePut: ["PUT", "/v1/scene/{scene}"],
  /** Update the fields sent; the state of its objects is streamed. */
  sceneUpdate: ["POST", "/v1/scene/{scene}"],
  /** Read a scene and its devices. */
  sceneGet: ["GET", "/v1/scene/{scene}"],
  /** Delete a scene and everything in it. */
  sceneDelete: ["DELETE", "/v1/scene/{scene}"],
  /** The scene as a tileset (3D Tiles 1.1): its objects that show a glTF model, where they are on Earth. */
  sceneTileset: ["GET", "/v1/scene/{scene}/tileset.json"],
  /** Stream the state of a scene, then every change. */
  sceneWatch: ["GET", "/v1/scene/{scene}/events"],
  /** Stream the state of a scene, then every change. */
  scenesWatch: ["GET", "/v1/events"],
  /** Add one asset key to a scene. */
  sceneAddAsset: ["PUT", "/v1/scene/{scene}/asset/{asset}"],
  /** Remove one asset key from a scene. */
  sceneDropAsset: ["DELETE", "/v1/scene/{scene}/asset/{asset}"],
  /** Register devices to a scene, which is created if absent. */
  register: ["POST", "/v1/scene/{scene}/register"],
  /** Deregister devices; their locks end. */
  deregister: ["POST", "/v1/scene/{scene}/deregister"],
  /** Deregister one device; its locks end. */
  deviceDelete: ["DELETE", "/v1/scene/{scene}/device/{device}"],
  /** List the devices of all scenes, and how the feeds of one's own fare; administrators see those of all. */
  deviceList: ["GET", "/v1/device"],
  /** Correct the transform of registered devices. */
  align: ["POST", "/v1/scene/{scene}/align"],
  /** Read the relations of a scene to others, and the corrections that they rest on. */
  alignmentGet: ["GET", "/v1/scene/{scene}/alignment"],
  /** Pin a correction, so that it is never rejected; `operation` 11 removes the pin. */
  alignmentPin: ["PUT", "/v1/scene/{scene}/alignment/{evidence}"],
  /** Remove a correction. */
  alignmentRemove: ["DELETE", "/v1/scene/{scene}/alignment/{evidence}"],
  /** Read the relation of one scene to another, and its uncertainty. */
  alignmentRelate: ["GET", "/v1/alignment"],
  /** Read which scenes are around one by links, where each is, and all links between them. */
  alignmentGraph: ["GET", "/v1/alignment/graph"],
  /** Create, update and delete objects and properties of a scene in one commit: all of it, or nothing. */
  sceneBulk: ["POST", "/v1/scene/{scene}/bulk"],
  /** Create objects in a scene, which is created if absent. */
  objectCreate: ["POST", "/v1/scene/{scene}/object"],
  /** List objects of a scene in pages: filtered, in any order. */
  objectList: ["GET", "/v1/scene/{scene}/object"],
  /** Find objects of a scene; an empty filter finds all. */
  objectQuery: ["POST", "/v1/scene/{scene}/object/query"],
  /** Update the members sent. */
  objectUpdate: ["POST", "/v1/scene/{scene}/object/{object}"],
  /** Read an object. */
  objectGet: ["GET", "/v1/scene/{scene}/object/{object}"],
  /** Delete an object. */
  objectDelete: ["DELETE", "/v1/scene/{scene}/object/{object}"],
  /** Lock an object for one device. */
  objectLock: ["PUT", "/v1/scene/{scene}/object/{object}/lock"],
  /** Release the lock of an object. */
  objectUnlock: ["DELETE", "/v1/scene/{scene}/object/{object}/lock"],
  /** Ask whoever holds the lock of an object for it; they hear it at most once a second. */
  objectAsk: ["POST", "/v1/scene/{scene}/object/{object}/lock/ask"],
  /** Add one asset key to an object. */
  objectAddAsset: ["PUT", "/v1/scene/{scene}/object/{object}/asset/{asset}"],
  /** Remove one asset key from an object. */
  objectDropAsset: ["DELETE", "/v1/scene/{scene}/object/{object}/asset/{asset}"],
  /** Create an action of an object, or replace the one of the same name. */
  objectActionPut: ["POST", "/v1/scene/{scene}/object/{object}/action"],
  /** Update the members sent of an action of an object. */
  objectActionUpdate: ["POST", "/v1/scene/{scene}/object/{object}/action/{action}"],
  /** Remove an action of an object. */
  objectActionDrop: ["DELETE", "/v1/scene/{scene}/object/{object}/action/{action}"],
  /** Create a keyframe of an object's action, or replace the one at the same frame. */
  objectKeyframePut: ["POST", "/v1/scene/{scene}/object/{object}/action/{action}/keyframe"],
  /** Update the members sent of a keyframe of an object's action. */
  objectKeyframeUpdate: ["POST", "/v1/scene/{scene}/object/{object}/action/{action}/keyframe/{frame}"],
  /** Remove a keyframe of an object's action. */
  objectKeyframeDrop: ["DELETE", "/v1/scene/{scene}/object/{object}/action/{action}/keyframe/{frame}"],
  /** Create properties in a scene, which is created if absent. */
  propertyCreate: ["POST", "/v1/scene/{scene}/property"],
  /** Find properties of a scene; an empty filter finds all. */
  propertyQuery: ["POST", "/v1/scene/{scene}/property/query"],
  /** Update the members sent. */
  propertyUpdate: ["POST", "/v1/scene/{scene}/property/{property}"],
  /** Read a property. */
  propertyGet: ["GET", "/v1/scene/{scene}/property/{property}"],
  /** Delete a property. */
  propertyDelete: ["DELETE", "/v1/scene/{scene}/property/{property}"],
  /** Create an action of a property, or replace the one of the same name. */
  propertyActionPut: ["POST", "/v1/scene/{scene}/property/{property}/action"],
  /** Update the members sent of an action of a property. */
  propertyActionUpdate: ["POST", "/v1/scene/{scene}/property/{property}/action/{action}"],
  /** Remove an action of a property. */
  propertyActionDrop: ["DELETE", "/v1/scene/{scene}/property/{property}/action/{action}"],
  /** Create a keyframe of a property's action, or replace the one at the same frame. */
  propertyKeyframePut: ["POST", "/v1/scene/{scene}/property/{property}/action/{action}/keyframe"],
  /** Update the members sent of a keyframe of a property's action. */
  propertyKeyframeUpdate: ["POST", "/v1/scene/{scene}/property/{property}/action/{action}/keyframe/{frame}"],
  /** Remove a keyframe of a property's action. */
  propertyKeyframeDrop: ["DELETE", "/v1/scene/{scene}/property/{property}/action/{action}/keyframe/{frame}"],
  /** Create a project. */
  projectCreate: ["POST", "/v1/project"],
  /** List projects. */
  projectList: ["GET", "/v1/project"],
  /** Read a project. */
  projectGet: ["GET", "/v1/project/{project}"],
  /** Change name, description, category and the like. */
  projectUpdate: ["POST", "/v1/project/{project}"],
  /** Delete a project; its scenes and collections stay. */
  projectDelete: ["DELETE", "/v1/project/{project}"],
  /** Add a tag to a project. */
  projectAddTag: ["PUT", "/v1/project/{project}/tags/{tag}"],
  /** Remove a tag from a project. */
  projectDropTag: ["DELETE", "/v1/project/{project}/tags/{tag}"],
  /** Add an asset collection to a project. */
  projectAddCollection: ["PUT", "/v1/project/{project}/collections/{collection}"],
  /** Remove an asset collection from a project. */
  projectDropCollection: ["DELETE", "/v1/project/{project}/collections/{collection}"],
  /** Add a group of scenes to a project. */
  groupCreate: ["POST", "/v1/project/{project}/groups"],
  /** Change a group of a project, its name too. */
  groupUpdate: ["POST", "/v1/project/{project}/groups/{group}"],
  /** Remove a group from a project; its scenes stay. */
  groupDelete: ["DELETE", "/v1/project/{project}/groups/{group}"],
  /** Add a scene to a group of a project. */
  groupAddScene: ["PUT", "/v1/project/{project}/groups/{group}/scenes/{scene}"],
  /** Remove a scene from a group of a project. */
  groupDropScene: ["DELETE", "/v1/project/{project}/groups/{group}/scenes/{scene}"],
  /** Create an asset collection. */
  collectionCreate: ["POST", "/v1/collection"],
  /** List asset collections. */
  collectionList: ["GET", "/v1/collection"],
  /** Read the asset collections with these ids. */
  collectionBulk: ["POST", "/v1/bulk/collection"],
  /** Read an asset collection. */
  collectionGet: ["GET", "/v1/collection/{collection}"],
  /** Change an asset collection. */
  collectionUpdate: ["POST", "/v1/collection/{collection}"],
  /** Delete an asset collection; its assets stay. */
  collectionDelete: ["DELETE", "/v1/collection/{collection}"],
  /** Add a tag to an asset collection. */
  collectionAddTag: ["PUT", "/v1/collection/{collection}/tags/{tag}"],
  /** Remove a tag from an asset collection. */
  collectionDropTag: ["DELETE", "/v1/collection/{collection}/tags/{tag}"],
  /** Relate an asset to a record, or change the relationship. */
  relationshipPut: ["PUT", "/v1/relationship"],
  /** Find relationships by their ends, type and subtype. */
  relationshipList: ["GET", "/v1/relationship"],
  /** Delete the relationships of an asset to a record. */
  relationshipDelete: ["DELETE", "/v1/relationship"],
  /** Find the relationships of these assets, or to these records. */
  relationshipBulk: ["POST", "/v1/bulk/relationship"],
  /** Upload a file as an asset. */
  assetCreate: ["POST", "/v1/asset"],
  /** Find assets, oldest first. */
  assetList: ["GET", "/v1/asset"],
  /** Count the assets that a listing would find. */
  assetCount: ["GET", "/v1/asset/count"],
  /** Read the records of the assets with these keys. */
  assetBulk: ["POST", "/v1/bulk/asset"],
  /** Upload a new version of an asset; it has a new key, and all relationships move to it. */
  assetUpdate: ["POST", "/v1/asset/{asset}"],
  /** Read the bytes of an asset. */
  assetGet: ["GET", "/v1/asset/{asset}"],
  /** Delete one version of an asset and its relationships. */
  assetDelete: ["DELETE", "/v1/asset/{asset}"],
  /** Make an old version of an asset the current one again, as a new version; all relationships move to it. */
  assetRestore: ["POST", "/v1/asset/{asset}/restore"],
  /** List the objects and scenes that name an asset, of those that one may see. */
  assetUses: ["GET", "/v1/asset/{asset}/uses"],
  /** Set the thumbnail of an asset: a PNG or WebP image of at most 64 KiB. */
  thumbnailPut: ["PUT", "/v1/asset/{asset}/thumbnail"],
  /** Read the thumbnail of an asset. */
  thumbnailGet: ["GET", "/v1/asset/{asset}/thumbnail"],
  /** Read the bytes of an asset. */
  assetGetFile: ["GET", "/v1/asset/{asset}/{filename}"],
  /** Read all versions of an asset, by the key of any version. */
  historyGet: ["GET", "/v1/asset-history/{asset}"],
  /** Create a user. */
  signUp: ["POST", "/v1/users/sign-up"],
  /** Find a user by username or e-mail; administrators: list users. */
  userFind: ["GET", "/v1/users"],
  /** Read a user. */
  userGet: ["GET", "/v1/users/{user}"],
  /** Change username, password or e-mail; a new password ends all sessions. */
  userUpdate: ["PUT", "/v1/users/{user}"],
  /** Delete a user; their items belong to the administrators then. */
  userDelete: ["DELETE", "/v1/users/{user}"],
  /** Add a project to a user's favourites. */
  userAddProject: ["PUT", "/v1/users/{user}/projects/{project}"],
  /** Remove a project from a user's favourites. */
  userDropProject: ["DELETE", "/v1/users/{user}/projects/{project}"],
  /** Add a scene to a user's favourites. */
  userAddScene: ["PUT", "/v1/users/{user}/scenes/{scene}"],
  /** Remove a scene from a user's favourites. */
  userDropScene: ["DELETE", "/v1/users/{user}/scenes/{scene}"],
  /** Make a user an administrator. */
  userPromote: ["PUT", "/v1/users/{user}/admin"],
  /** Make an administrator an ordinary user; their sessions end. */
  userDemote: ["DELETE", "/v1/users/{user}/admin"],
  /** Let a user log in. */
  userActivate: ["PUT", "/v1/users/{user}/active"],
  /** Deactivate a user; their sessions end. */
  userDeactivate: ["DELETE", "/v1/users/{user}/active"],
  /** Read the budgets that were set for one user; others are as in `GET /v1/server`. */
  userBudgetGet: ["GET", "/v1/users/{user}/budget"],
  /** Set the budgets of one user, 0 = no limit; those that are absent are as for everybody. */
  userBudgetPut: ["PUT", "/v1/users/{user}/budget"],
  /** Delete a user and everything stored about them: private items go, public ones have no owner then. */
  userErase: ["DELETE", "/v1/users/{user}/data"],
  /** What is stored about a user: account, limits, device keys, sessions. */
  userExport: ["GET", "/v1/users/{user}/export"],
  /** What is stored about a user in scenes: those they own, and their registrations and corrections in any. */
  sceneExport: ["GET", "/v1/users/{user}/export/scenes"],
  /** What is stored about a user in the library: their assets, collections, projects and relationships. */
  libraryExport: ["GET", "/v1/users/{user}/export/library"],
  /** What the audit log says of a user: what they did, and what was done to their account. */
  auditExport: ["GET", "/v1/users/{user}/export/audit"],
  /** Find scenes, assets, projects, collections, users (administrators) and, of one scene, objects by words that begin like this. */
  search: ["GET", "/v1/search"],
  /** Tell who the caller is to the server, strangers too. */
  sessionGet: ["GET", "/v1/session"],
  /** Begin a session with username and password. */
  login: ["POST", "/v1/login"],
  /** End the session of the request. */
  logout: ["POST", "/v1/logout"],
  /** Replace the secret of tokens: all sessions end at once, everybody logs in again. */
  tokensRotate: ["POST", "/v1/rotate/tokens"],
  /** Replace PUB's CURVE key: all subscribers reconnect with the new public key. */
  pubKeyRotate: ["POST", "/v1/rotate/pub-key"],
  /** Read the audit log, oldest lines first. */
  auditList: ["GET", "/v1/audit"],
  /** Begin a backup of the server; its state is `running`. */
  backupCreate: ["POST", "/v1/backup"],
  /** List the backups, newest first, with the one that is being made or failed last before them. */
  backupList: ["GET", "/v1/backup"],
  /** Make a server that follows another one lead: it takes changes from then on. */
  promote: ["POST", "/v1/promote"],
  /** Where map clients begin: OGC API - Features. */
  ogcLanding: ["GET", "/ogc"],
  /** Which parts of OGC API - Features this is. */
  ogcConformance: ["GET", "/ogc/conformance"],
  /** These operations for maps, as OpenAPI 3.0. */
  ogcApi: ["GET", "/ogc/api"],
  /** The collections: scenes, objects, devices where there are accounts, and the objects of each of the first scenes. */
  ogcCollections: ["GET", "/ogc/collections"],
  /** The collection of scenes. */
  ogcSceneCollection: ["GET", "/ogc/collections/scenes"],
  /** Scenes as features, where their origins are. */
  ogcScenes: ["GET", "/ogc/collections/scenes/items"],
  /** A scene as a feature. */
  ogcScene: ["GET", "/ogc/collections/scenes/items/{scene}"],
  /** The collection of all objects. */
  ogcAllObjectCollection: ["GET", "/ogc/collections/objects"],
  /** Objects of all scenes as features, scene after scene. */
  ogcAllObjects: ["GET", "/ogc/collections/objects/items"],
  /** An object of any scene as a feature. */
  ogcAnyObject: ["GET", "/ogc/collections/objects/items/{object}"],
  /** The collection of devices; with accounts only. */
  ogcDeviceCollection: ["GET", "/ogc/collections/devices"],
  /** Devices that are aligned to a scene with a place as features; with accounts only. */
  ogcDevices: ["GET", "/ogc/collections/devices/items"],
  /** A device in a scene as a feature; with accounts only. */
  ogcDevice: ["GET", "/ogc/collections/devices/items/{feature}"],
  /** The collection of the objects of a scene. */
  ogcObjectCollection: ["GET", "/ogc/collections/objects.{scene}"],
  /** Objects of a scene as features, where they are on Earth. */
  ogcObjects: ["GET", "/ogc/collections/objects.{scene}/items"],
  /** An object as a feature. */
  ogcObject: ["GET", "/ogc/collections/objects.{scene}/items/{object}"],
  /** Whether the process is alive. */
  getLivez: ["GET", "/livez"],
  /** Whether the server is ready: every actor answered. */
  getReadyz: ["GET", "/readyz"],
  /** The same for old clients. */
  getHealth: ["GET", "/health"],
  /** All metrics as Prometheus text. */
  getMetrics: ["GET", "/metrics"],
  /** What the server is, where it listens, what it holds and may hold; for administrators its settings too. */
  serverGet: ["GET", "/v1/server"],
  /** What the server did and held in each of the last seconds, an hour at most: requests, times, events, memory. */
  serverSeries: ["GET", "/v1/server/series"],
  /** Stream how much the server holds and whether its disk is full, an event `sample` each second; to administrators also what `GET /v1/server/series` tells, from `seconds` ago on. */
  serverWatch: ["GET", "/v1/server/events"],
  /** This interface, as OpenAPI 3.1. */
  getOpenapiJson: ["GET", "/openapi.json"],
  /** This interface, as a page for people. */
  getDocs: ["GET", "/docs"],
  /** The style sheet of that page. */
  getDocsStyleCss: ["GET", "/docs/style.css"],
} as const
