// moving.js - follows a scene by its stream of events and draws where its objects are: x to the
// right, z down, as y is up in scenes.
const wish = new URLSearchParams(location.search)
const scene = wish.get('scene') ?? ''
const server = wish.get('server') ?? location.origin
const MARGIN = 60, TRAIL = 60 // pixels; places that an object leaves behind it
const things = new Map() // by key: name, places (the newest last), and what shows them
const part = id => document.getElementById(id)
let isStale = false

function make(name, parent) {
  return part(parent).appendChild(document.createElementNS('http://www.w3.org/2000/svg', name))
}

function set(element, values) {
  for (const [name, value] of Object.entries(values)) element.setAttribute(name, value)
}

function put(object) {
  if (!things.has(object.key)) {
    things.set(object.key, { places: [], dot: make('circle', 'objects'), label: make('text', 'objects'),
                             trail: make('polyline', 'trails') })
  }
  const thing = things.get(object.key)
  thing.label.textContent = object.name // text, never markup
  if (object.transform) { // row-major: x and z of the translation
    const place = [object.transform[3], object.transform[11]]
    const last = thing.places.at(-1)
    if (!last || last[0] !== place[0] || last[1] !== place[1]) thing.places.push(place)
    if (thing.places.length > TRAIL) thing.places.shift()
  }
  redraw()
}

function remove(key) {
  const thing = things.get(key)
  things.delete(key)
  for (const element of thing ? [thing.dot, thing.label, thing.trail] : []) element.remove()
  redraw()
}

// --- the picture ---

function redraw() {
  if (!isStale) requestAnimationFrame(draw)
  isStale = true
}

// All places in the middle of the view, as large as fits, at least 10 m wide.
function viewOf() {
  const places = [...things.values()].flatMap(thing => thing.places)
  const { width, height } = part('view').getBoundingClientRect()
  const [xs, zs] = [0, 1].map(axis => places.map(place => place[axis]))
  const span = values => values.length ? [Math.min(...values), Math.max(...values)] : [0, 0]
  const [[left, right], [back, front]] = [span(xs), span(zs)]
  const size = Math.min((width - 2 * MARGIN) / Math.max(right - left, 10),
                        (height - 2 * MARGIN) / Math.max(front - back, 10))
  const middle = [(left + right) / 2, (back + front) / 2]
  const at = ([x, z]) => [width / 2 + (x - middle[0]) * size, height / 2 + (z - middle[1]) * size]
  return { width, height, size, middle, at }
}

// A line every 1, 2 or 5 times a power of ten metres, 60 pixels apart at least.
function drawGrid({ width, height, size, middle, at }) {
  const least = MARGIN / size, power = 10 ** Math.floor(Math.log10(least))
  const step = power * [1, 2, 5, 10].find(times => times * power >= least)
  part('grid').replaceChildren()
  const lines = (axis, extent, ends) => {
    const half = extent / size / 2
    for (let n = Math.ceil((middle[axis] - half) / step); n * step <= middle[axis] + half; n++) {
      const line = make('line', 'grid')
      set(line, ends(at(axis ? [0, n * step] : [n * step, 0])[axis]))
      if (n === 0) line.setAttribute('class', 'axis')
    }
  }
  lines(0, width, x => ({ x1: x, x2: x, y1: 0, y2: height }))
  lines(1, height, y => ({ x1: 0, x2: width, y1: y, y2: y }))
  part('scale').textContent = `from above: x to the right, z down; a line every ${+step.toPrecision(1)} m`
}

function draw() {
  isStale = false
  const view = viewOf()
  drawGrid(view)
  for (const thing of things.values()) {
    if (!thing.places.length) continue
    const [x, y] = view.at(thing.places.at(-1))
    set(thing.dot, { cx: x, cy: y, r: 7 })
    set(thing.label, { x: x + 11, y: y + 4.5 })
    set(thing.trail, { points: thing.places.map(view.at).join(' ') })
  }
}

// --- the stream ---

const says = words => part('state').textContent = words
const count = () => `${things.size} ${things.size === 1 ? 'object' : 'objects'}`

function follow() {
  const stream = new EventSource(`${server}/v1/scene/${encodeURIComponent(scene)}/events?rate=30`)
  stream.addEventListener('snapshot', event => {
    const state = JSON.parse(event.data)
    const keys = new Set(state.objects.map(object => object.key))
    for (const key of [...things.keys()])
      if (!keys.has(key)) remove(key)
    state.objects.forEach(put)
    says(`live · ${count()}`)
  })
  stream.addEventListener('change', event => {
    const change = JSON.parse(event.data)
    if (change.msg_type === 3) remove(change.object.key)
    else if (change.object) put(change.object)
    else if (change.msg_type === 42) stream.close() // else it would ask again for what is gone
    says(change.msg_type === 42 ? 'the scene was deleted' : `live · ${count()}`)
  })
  stream.addEventListener('error', () => says( // it connects again by itself, unless it is refused
    stream.readyState === EventSource.CLOSED ? 'the server refused: no such scene, or not for you' : 'connecting …'))
  return stream
}

document.title = scene ? `${scene} · Moving` : 'Moving'
document.querySelector('input').value = scene
new ResizeObserver(redraw).observe(part('view')) // what stands around it may grow after it was drawn
says(scene ? 'connecting …' : 'name a scene')
const stream = scene ? follow() : null
