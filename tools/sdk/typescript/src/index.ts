import { DioramaError } from './errors.js'
import { operations } from './generated.js'
import { Http, pathOf, type CallOptions } from './http.js'
import { Scene, type JoinOptions } from './scene.js'

export * from './errors.js'
export { Entity, type Change, type Shown, type Written } from './entity.js'
export { Clock } from './clock.js'
export { DeltaReader, matrixOf, type DeltaHandlers, type Kind, type Known, type Pose, type Tick } from './delta.js'
export { Follower, type Follows } from './follow.js'
export type { Lock } from './lock.js'
export { Http, type CallOptions, type Repeat, type RequestOptions, type Warning } from './http.js'
export { Scene, type Feed, type Form, type JoinOptions, type State } from './scene.js'
export * as transforms from './transforms.js'
export type * as records from './generated.js'
export { operations }

const TRANSFER_MS = 600000

export interface ConnectOptions {
  token?: string
  user?: string
  password?: string
  /** Instead of the global one: for proxies, tests, other engines. */
  fetch?: typeof fetch
}

/** A server. How it behaves: tools/sdk/README.md. */
export class Diorama {
  readonly #scenes = new Set<Scene>()

  private constructor(readonly http: Http) {}

  /** Says at once whether a server is there, and whether the user may log in. */
  static async connect(url: string, options: ConnectOptions = {}): Promise<Diorama> {
    const http = new Http(url, options.token, options.fetch)
    if (options.user) await http.call('POST', pathOf('login'), { username: options.user, password: options.password }, { repeat: 'never' })
    else await http.call('GET', pathOf('session'))
    return new Diorama(http)
  }

  /** Joins a scene: returns when its state is there; then it lives. */
  async scene(key: string, options: JoinOptions = {}): Promise<Scene> {
    const scene = new Scene(this.http, key, options)
    try {
      await scene.open()
    } catch (failure) {
      await scene.close()
      throw failure
    }
    this.#scenes.add(scene)
    return scene
  }

  /** Any other request, by its name in /openapi.json; a POST has an Idempotency-Key unless `repeat` says otherwise. */
  async call<T = unknown>(operation: keyof typeof operations, path: Record<string, string> = {}, body?: unknown,
    options: CallOptions = {}): Promise<T> {
    if (!Object.hasOwn(operations, operation)) throw new DioramaError(`there is no operation '${operation}'`)
    const [method, pattern] = operations[operation]
    const target = pattern.replace(/\{(\w+)\}/g, (part, name: string) => {
      if (!path[name]) throw new DioramaError(`${operation} needs ${part}`) // without it, it is the path of another one
      return encodeURIComponent(path[name])
    })
    return this.http.call<T>(method, target, body, { repeat: method === 'POST' ? 'keyed' : 'safe', ...options })
  }

  /** Uploads a file as an asset, or as the next version of one; its key. `query`: the parameters of assetCreate, assetUpdate. */
  async upload(file: Blob, name: string, options: { asset?: string, query?: NonNullable<CallOptions['query']> } = {}): Promise<string> {
    const { asset, query = {} } = options, form = new FormData()
    form.append('file', file, name)
    const path = asset === undefined ? pathOf('asset') : pathOf('asset', asset)
    const how: CallOptions = { query: asset === undefined ? { name, ...query } : query, repeat: 'keyed', timeoutMs: TRANSFER_MS }
    return (await this.http.call<string>('POST', path, form, how)).trim()
  }

  /** The bytes of an asset. */
  async download(key: string): Promise<Blob> {
    const path = pathOf('asset', key)
    return (await this.http.read('GET', path, undefined, { timeoutMs: TRANSFER_MS }, answer => answer.blob())).content
  }

  /** Leaves all scenes. */
  async close(): Promise<void> {
    await Promise.all([...this.#scenes].map(scene => scene.close()))
    this.#scenes.clear()
  }
}
