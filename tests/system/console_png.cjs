// console_png.cjs - pictures of pages: reads PNG (8 bits a channel, or a palette; not interlaced), writes
// small ones with a palette, and says how far two differ. (PNG, third edition, W3C 2025.)
'use strict'
const zlib = require('zlib')

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
const CHANNELS = { 2: 3, 3: 1, 6: 4 } // by colour type: RGB, palette, RGBA
const COLOURS = 256
const STEP = 16 // of 255: colours of stored pictures are that coarse, so that they are small
const FAR = 24 // of 255: less is no difference that people see

function* chunks(bytes) {
  for (let at = SIGNATURE.length; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    yield [bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at))]
}

function paeth(left, up, corner) {
  const byLeft = Math.abs(up - corner)
  const byUp = Math.abs(left - corner)
  const byCorner = Math.abs(left + up - 2 * corner)
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner
}

// What is added to a byte, by the filter of its row (section 9).
function predict(filter, left, up, corner) {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  return filter === 3 ? (left + up) >> 1 : paeth(left, up, corner)
}

function unfilter(rows, width, height, channels) {
  const size = width * channels
  const pixels = new Uint8Array(size * (height + 1)) // a row of zeros, then those of the picture
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (size + 1)]
    const from = y * (size + 1) + 1
    const to = (y + 1) * size
    for (let x = 0; x < size; x++) {
      const isFirst = x < channels
      const left = isFirst ? 0 : pixels[to + x - channels]
      const corner = isFirst ? 0 : pixels[to + x - size - channels]
      pixels[to + x] = rows[from + x] + predict(filter, left, pixels[to + x - size], corner)
    }
  }
  return pixels.subarray(size)
}

// Colours of the pixels, 0xrrggbb. Opaque: alpha is left out.
function read(bytes) {
  let width, height, kind, palette
  const parts = []
  for (const [name, data] of chunks(bytes)) {
    if (name === 'IHDR') [width, height, kind] = [data.readUInt32BE(0), data.readUInt32BE(4), data[9]]
    if (name === 'PLTE') palette = data
    if (name === 'IDAT') parts.push(data)
  }
  const channels = CHANNELS[kind]
  const pixels = unfilter(zlib.inflateSync(Buffer.concat(parts)), width, height, channels)
  const colours = new Uint32Array(width * height)
  for (let i = 0; i < colours.length; i++) {
    const [bytes, at] = palette ? [palette, 3 * pixels[i]] : [pixels, channels * i]
    colours[i] = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2]
  }
  return { width, height, colours }
}

const distance = (one, other) =>
  Math.max(Math.abs((one >> 16) - (other >> 16)), Math.abs(((one >> 8) & 255) - ((other >> 8) & 255)), Math.abs((one & 255) - (other & 255)))

// For each colour its place among those that are used most: the nearest of them.
function choose(colours) {
  const counts = new Map()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const palette = [...counts].sort((a, b) => b[1] - a[1]).slice(0, COLOURS).map(([colour]) => colour)
  const nearest = colour => palette.reduce((best, one, i) => (distance(colour, one) < distance(colour, palette[best]) ? i : best), 0)
  return { palette, places: new Map([...counts.keys()].map(colour => [colour, nearest(colour)])) }
}

function chunk(name, data) {
  const out = Buffer.alloc(12 + data.length)
  out.writeUInt32BE(data.length, 0)
  out.write(name, 4, 'latin1')
  data.copy(out, 8)
  out.writeUInt32BE(crc(out.subarray(4, 8 + data.length)), 8 + data.length)
  return out
}

function crc(bytes) {
  let rest = -1
  for (const byte of bytes) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0)
  }
  return ~rest >>> 0
}

const coarse = colour => [16, 8, 0].reduce((all, shift) => all | (Math.min(255, STEP * Math.round(((colour >> shift) & 255) / STEP)) << shift), 0)

function write({ width, height, colours: fine }) {
  const colours = fine.map(coarse)
  const { palette, places } = choose(colours)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 3], 8)
  const table = Buffer.alloc(3 * palette.length)
  palette.forEach((colour, i) => table.writeUIntBE(colour, 3 * i, 3))
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = places.get(colours[y * width + x])
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('PLTE', table), chunk('IDAT', zlib.deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))])
}

// The share of pixels that differ; 1 where the sizes do.
function difference(one, other) {
  if (one.width !== other.width || one.height !== other.height) return 1
  let count = 0
  for (let i = 0; i < one.colours.length; i++) if (distance(one.colours[i], other.colours[i]) > FAR) count++
  return count / one.colours.length
}

module.exports = { read, write, difference }
