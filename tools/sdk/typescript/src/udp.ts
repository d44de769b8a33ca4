import { DioramaError, Forbidden, Malformed, NotFound, SignedOut } from './errors.js'
import { backOff } from './follow.js'
import { Gaps } from './gaps.js'
import * as packets from './packets.js'
import type { Members } from './packets.js'
import type { Feed, Form, Scene } from './scene.js'

// What of node:dgram is used; so the package needs no types of node.
interface Socket {
  bind(port: number, address: string, ready: () => void): void
  address(): { address: string, port: number }
  on(event: 'message', handler: (data: Uint8Array) => void): void
  on(event: 'error', handler: (failure: Error) => void): void
  send(data: Uint8Array, port: number, host: string, done: (failure: Error | null) => void): void
  connect(port: number, host: string, done: () => void): void
  close(): void
  setRecvBufferSize(size: number): void
}
interface Dgram {
  createSocket(type: 'udp4' | 'udp6'): Socket
}

const TICK_MS = 20, READ_REST_MS = 1000, HELLO_FIRST_MS = 500, HELLO_LAST_MS = 20000, SILENCE_MS = 65000, PURGE_MS = 10000
const LATE_EVENTS = 65536

/** The UDP forms, for `d.scene(key, { form: 'packed', feed: udp })` in node. */
export const udp = (scene: Scene, form: Form): Feed => new UdpFeed(scene, form === 'packed')

class UdpFeed implements Feed {
  #gaps = new Gaps()
  #token = ''
  #socket: Socket | undefined
  #server = { host: '', port: 0 }
  #connection = ''
  #mustRead = true
  #isReading = false
  #mustRegister = false
  #kept: Uint8Array[] = []
  #mustProve = false
  #helloAt = 0
  #helloWait = HELLO_FIRST_MS
  #heard = performance.now()
  #readAt = 0
  #failures = 0
  #purgeAt = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #isOver = false

  constructor(private readonly scene: Scene, private readonly isPacked: boolean) {}

  // --- joining and leaving ---

  async open(): Promise<void> {
    const module = 'node:dgram'
    const dgram = (await import(module)) as Dgram
    const place = new URL(this.scene.http.base), host = place.hostname.replace(/^\[|\]$/g, '')
    const type = host.includes(':') ? 'udp6' : 'udp4'
    const own = await ownAddress(dgram.createSocket(type), host, Number(place.port) || 80)
    const socket = this.#socket = dgram.createSocket(type)
    socket.on('message', data => this.#receive(data))
    socket.on('error', () => {}) // nobody is there just now; HELLO goes on
    await new Promise<void>(done => socket.bind(0, own, done))
    socket.setRecvBufferSize(4 << 20)
    const words = this.isPacked ? `rate=${this.scene.rate}&tail=1` : 'tail=1'
    this.#connection = `${this.isPacked ? 'udp+msgpack' : 'udp'}://${own.includes(':') ? `[${own}]` : own}:${socket.address().port}?${words}`
    await this.#register()
    await this.#read()
    this.#timer = setInterval(() => this.#turn(), TICK_MS)
  }

  async #register(): Promise<void> {
    const answer = await this.scene.register(this.#connection)
    const feed = (answer['udp'] ?? {}) as { state?: string, token?: string }
    this.#token = feed.token ?? ''
    this.#server = {
      host: String(answer['event_destination_host'] || new URL(this.scene.http.base).hostname),
      port: Number(answer['event_destination_port']),
    }
    this.#mustProve = feed.state !== 'active'
    this.#helloWait = HELLO_FIRST_MS
    this.#heard = performance.now()
    this.#helloAt = this.#mustProve ? 0 : this.#heard + HELLO_LAST_MS
  }

  close(): Promise<void> {
    this.#isOver = true
    clearInterval(this.#timer)
    this.#socket?.close()
    this.#socket = undefined
    return Promise.resolve()
  }

  // --- sending ---

  send(message: Members): void {
    this.#send(packets.bytesOf(this.#token ? { ...message, token: this.#token } : message))
  }

  #send(content: Uint8Array): void {
    this.#socket?.send(content, this.#server.port, this.#server.host, () => {})
  }

  #sayHello(now: number): void {
    if (now < this.#helloAt || !this.#token) return
    this.#send(packets.hello(this.#token))
    this.#helloAt = now + (this.#mustProve ? this.#helloWait : HELLO_LAST_MS)
    this.#helloWait = Math.min(2 * this.#helloWait, HELLO_LAST_MS)
  }

  // --- what arrives ---

  #receive(data: Uint8Array): void {
    this.#heard = performance.now()
    try {
      const told = data[0] === 0x7b ? packets.readPlain(data) : undefined
      if (told && this.#takeControl(told)) return
      if (this.#isReading && this.#kept.length < LATE_EVENTS) this.#kept.push(data)
      else this.#take(data)
    } catch (failure) {
      if (!(failure instanceof Malformed)) throw failure // broken on the way: a gap shows it
    }
  }

  #takeControl(told: Members & { msg_type: number }): boolean {
    switch (told.msg_type) {
      case packets.CHALLENGE:
        this.#send(packets.echo(this.#token, String(told['challenge'])))
        this.#mustProve = false
        this.#helloAt = performance.now() + HELLO_LAST_MS
        return true
      case packets.REFUSED:
        this.#refused(Number(told['from']), told['reason'] === 'too_old')
        return true
      case packets.TAIL:
        if (!this.#isReading) this.#note(Number(told['epoch']), Number(told['seq']), Number(told['seq']))
        return true
      default:
        return false
    }
  }

  #take(data: Uint8Array): void {
    const { scene } = this
    if (!this.isPacked) {
      const event = packets.readPlain(data)
      if (!packets.isEvent(event.msg_type)) return
      scene.tell(scene.store.takePlain(event))
      this.#mustRead ||= event['truncated'] === true
      this.#note(this.scene.store.epoch, Number(event['prev']), Number(event['seq']))
      return
    }
    const told = packets.readPacked(data)
    if (told.epoch === scene.store.epoch) {
      if (told.note) this.#refused(told.note[1] as number, told.note[2] === 0)
      for (const { msg_type: type, key, truncated, ...members } of told.changes) {
        if (packets.isEvent(type)) scene.tell(scene.store.take(type, key, members, told.prev, told.seq))
        this.#mustRead ||= truncated === true
      }
    }
    this.#note(told.epoch, told.prev, told.seq)
  }

  #note(epoch: number | undefined, prev: number, seq: number): void {
    // The plain form has no epoch: numbers that begin again are those of another start.
    const isAnother = epoch !== this.scene.store.epoch || (!this.isPacked && this.#gaps.got > seq + 1024)
    if (isAnother) this.#mustRead = this.#mustRegister = true
    else this.#gaps.note(prev, seq, performance.now())
  }

  #refused(from: number, isTooOld: boolean): void {
    this.#mustRead ||= isTooOld && from > this.#gaps.got
  }

  // --- turns ---

  #turn(): void {
    const now = performance.now(), { scene } = this
    this.#sayHello(now)
    const wish = this.#gaps.wish(now)
    this.#mustRegister ||= now - this.#heard > SILENCE_MS
    this.#mustRead ||= wish === 'read' || this.#mustRegister
    if (Array.isArray(wish)) this.#send(packets.ask(this.#token, ...wish))
    if (now > this.#purgeAt) {
      this.#purgeAt = now + PURGE_MS
      scene.store.purge(now)
    }
    scene.gaps = this.#gaps.holes
    if (this.#mustRead && now >= this.#readAt && !this.#isReading) void this.#readGuarded()
    else if (!this.#mustRead && !this.#isReading) scene.become(this.#gaps.isOpen ? 'catching up' : 'live')
  }

  async #readGuarded(): Promise<void> {
    try {
      await this.#read()
      this.#readAt = performance.now() + READ_REST_MS
      this.#failures = 0
    } catch (failure) {
      if (this.#isOver) return
      if (failure instanceof SignedOut || failure instanceof Forbidden || failure instanceof NotFound) {
        clearInterval(this.#timer)
        this.scene.become(failure instanceof NotFound ? 'gone' : 'signed out', failure)
        return
      }
      if (!(failure instanceof DioramaError)) throw failure
      this.#readAt = performance.now() + backOff(++this.#failures)
      this.scene.become('reconnecting')
    }
  }

  /** Reads the scene; what arrives meanwhile is taken afterwards. */
  async #read(): Promise<void> {
    const { scene } = this, isNew = this.#mustRegister
    scene.become('catching up')
    this.#isReading = true
    this.#mustRead = false
    this.#kept = []
    let kept: Uint8Array[] = []
    try {
      if (isNew) await this.#register() // it proves the socket, too
      if (isNew) this.#mustRegister = false
      const { epoch, states } = await scene.read()
      if (epoch !== scene.store.epoch) {
        this.#mustRegister = this.#mustRead = scene.store.epoch !== undefined && !isNew
        this.#gaps.begin()
      }
      scene.store.begin(epoch)
      for (const { noun, seq, records } of states) scene.tell(scene.store.takeState(noun, records, this.#gaps.got, seq))
      this.#gaps.absorb(Math.min(...states.map(state => state.seq)))
      kept = this.#kept
    } catch (failure) {
      this.#mustRead = true
      throw failure
    } finally {
      this.#isReading = false
      this.#kept = []
    }
    for (const data of kept) this.#receive(data)
  }
}

/** Which of our addresses leads to the server. */
function ownAddress(probe: Socket, host: string, port: number): Promise<string> {
  return new Promise((done, fail) => {
    probe.on('error', fail)
    probe.connect(port, host, () => {
      done(probe.address().address)
      probe.close()
    })
  })
}
