import { Malformed } from './errors.js'

/** A value of msgpack. Integers beyond 2^53 are rounded. */
export type Packable = null | boolean | number | string | Uint8Array | Packable[] | Map<string | number, Packable>

const DEPTH = 32
const words = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

class Reader {
  at = 0
  private readonly view: DataView

  constructor(private readonly data: Uint8Array) {
    this.view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  }

  private take(size: number): number {
    if (size > this.data.length - this.at) throw new Malformed('msgpack: it ends too early')
    this.at += size
    return this.at - size
  }

  private length(bytes: number): number {
    const at = this.take(bytes)
    return bytes === 1 ? this.view.getUint8(at) : bytes === 2 ? this.view.getUint16(at) : this.view.getUint32(at)
  }

  private text(size: number): string {
    const at = this.take(size)
    try {
      return words.decode(this.data.subarray(at, at + size))
    } catch {
      throw new Malformed('msgpack: a text is not UTF-8')
    }
  }

  private bytes(size: number): Uint8Array {
    const at = this.take(size)
    return this.data.slice(at, at + size)
  }

  private array(count: number, depth: number): Packable[] {
    if (count > this.data.length - this.at) throw new Malformed('msgpack: it ends too early')
    return Array.from({ length: count }, () => this.value(depth + 1))
  }

  private map(count: number, depth: number): Map<string | number, Packable> {
    if (count > this.data.length - this.at) throw new Malformed('msgpack: it ends too early')
    const items = new Map<string | number, Packable>()
    for (let i = 0; i < count; i++) {
      const key = this.value(depth + 1)
      if (typeof key !== 'string' && typeof key !== 'number') throw new Malformed('msgpack: a name is neither text nor number')
      items.set(key, this.value(depth + 1))
    }
    return items
  }

  value(depth: number): Packable {
    if (depth > DEPTH) throw new Malformed('msgpack: too deep')
    const head = this.view.getUint8(this.take(1))
    if (head < 0x80) return head
    if (head >= 0xe0) return head - 0x100
    if (head < 0x90) return this.map(head & 15, depth)
    if (head < 0xa0) return this.array(head & 15, depth)
    if (head < 0xc0) return this.text(head & 31)
    return this.long(head, depth)
  }

  private long(head: number, depth: number): Packable {
    switch (head) {
      case 0xc0: return null
      case 0xc2: return false
      case 0xc3: return true
      case 0xc4: case 0xc5: case 0xc6: return this.bytes(this.length(1 << (head - 0xc4)))
      case 0xca: return this.view.getFloat32(this.take(4))
      case 0xcb: return this.view.getFloat64(this.take(8))
      case 0xcc: case 0xcd: case 0xce: return this.length(1 << (head - 0xcc))
      case 0xcf: return Number(this.view.getBigUint64(this.take(8)))
      case 0xd0: return this.view.getInt8(this.take(1))
      case 0xd1: return this.view.getInt16(this.take(2))
      case 0xd2: return this.view.getInt32(this.take(4))
      case 0xd3: return Number(this.view.getBigInt64(this.take(8)))
      case 0xd9: case 0xda: case 0xdb: return this.text(this.length(1 << (head - 0xd9)))
      case 0xdc: case 0xdd: return this.array(this.length(2 << (head - 0xdc)), depth)
      case 0xde: case 0xdf: return this.map(this.length(2 << (head - 0xde)), depth)
      default: throw new Malformed(`msgpack: ${head.toString(16)} is no value`)
    }
  }
}

/** The only value of `data`. Throws Malformed. */
export function unpack(data: Uint8Array): Packable {
  const reader = new Reader(data)
  if (!data.length) throw new Malformed('msgpack: nothing')
  const value = reader.value(0)
  if (reader.at !== data.length) throw new Malformed('msgpack: there is something behind it')
  return value
}

/** As JSON has it; binary has no place there. */
export function toJson(value: Packable): unknown {
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, item]) => [String(key), toJson(item)]))
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Uint8Array) throw new Malformed('msgpack: binary where JSON is')
  return value
}
