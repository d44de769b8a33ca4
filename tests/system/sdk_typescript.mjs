// sdk_typescript.mjs - drives the TypeScript SDK for sdk_typescript_test.py:
//
//   node sdk_typescript.mjs DIST golden FOLDER
//   node sdk_typescript.mjs DIST gaps FOLDER
//   node sdk_typescript.mjs DIST comments
//   node sdk_typescript.mjs DIST delta
//   node sdk_typescript.mjs DIST requests
//   node sdk_typescript.mjs DIST streams
//   node sdk_typescript.mjs DIST calls
//   node sdk_typescript.mjs DIST answers
//   node sdk_typescript.mjs DIST addresses
//   node sdk_typescript.mjs DIST files URL
//   node sdk_typescript.mjs DIST order
//   node sdk_typescript.mjs DIST unnumbered
//   node sdk_typescript.mjs DIST creations
//   node sdk_typescript.mjs DIST warnings URL SCENE
//   node sdk_typescript.mjs DIST writes URL SCENE FORM
//   node sdk_typescript.mjs DIST deletes URL SCENE FORM
//   node sdk_typescript.mjs DIST follow URL SCENE FORM LOSS      answers each line "state"
//   node sdk_typescript.mjs DIST use URL SCENE
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { setTimeout as rest } from 'node:timers/promises'

const [dist, what, ...words] = process.argv.slice(2)
const { Diorama, ApiError, BadInput, Budget, ConnectionFailed, DeltaReader, Follower, Http, Locked, Malformed, NotFound } = await import(`${dist}/index.js`)
const packets = await import(`${dist}/packets.js`)
const { Gaps } = await import(`${dist}/gaps.js`)
const { udp } = await import(`${dist}/udp.js`)

const lines = (folder, form) => readFileSync(`${folder}/${form}.jsonl`, 'utf8').trimEnd().split('\n').map(text => JSON.parse(text))
const bytes = hex => Uint8Array.from(Buffer.from(hex, 'hex'))

function golden(folder) {
  let count = 0
  const equal = (line, said) => {
    assert.deepEqual(said, line.json, line.name) // strict: -0 is not 0
    count++
  }
  for (const line of lines(folder, 'packed')) equal(line, packets.readPacked(bytes(line.hex)))
  for (const form of ['plain', 'controls', 'updates']) {
    for (const line of lines(folder, form)) equal(line, packets.readPlain(bytes(line.hex)))
  }
  for (const line of lines(folder, 'pub')) equal(line, packets.readPub(line.hex.split(' ').map(bytes)))
  for (const form of ['sse', 'delta']) {
    for (const line of lines(folder, form)) {
      const data = bytes(line.hex)
      for (const step of [1, 7, data.length]) {
        const reader = new packets.EventReader(), events = []
        for (let at = 0; at < data.length; at += step) events.push(...reader.feed(data.subarray(at, at + step)))
        assert.deepEqual({ events }, line.json, line.name)
      }
      count++
    }
  }
  const written = {
    '60 HELLO': said => packets.hello(said.token),
    '62 ECHO': said => packets.echo(said.token, said.challenge),
    '63 ask again': said => packets.ask(said.token, said.from, said.to),
    '63 ask again for a lot': said => packets.ask(said.token, said.from, said.to),
  }
  for (const { name, hex, json } of lines(folder, 'controls')) {
    if (written[name]) assert.equal(Buffer.from(written[name](json)).toString('hex'), hex)
    delete written[name]
  }
  assert.deepEqual(written, {})
  broken(folder)
  console.log(count)
}

// What the lines of gaps.txt say that a client does about missing datagrams.
function gaps(folder) {
  let name, known, count = 0
  for (const text of readFileSync(`${folder}/gaps.txt`, 'utf8').trimEnd().split('\n')) {
    const [line, wanted] = text.split(' = '), [verb, ...numbers] = line.split(' ')
    if (verb === 'begin') [name, known] = [line, new Gaps()]
    else if (verb === 'state') known.absorb(Number(numbers[0]))
    else if (verb === 'note') known.note(...numbers.map(Number))
    else if (verb === 'wish') {
      const wish = known.wish(Number(numbers[0]))
      assert.equal(Array.isArray(wish) ? `ask ${wish.join(' ')}` : wish ?? 'nothing', wanted, `${name}: ${line}`)
      count++
    }
  }
  console.log(count)
}

// Whatever stands in a datagram, it is read or Malformed.
function broken(folder) {
  let seed = 7
  const chance = most => { seed = (seed * 48271) % 2147483647; return seed % most }
  for (const { hex } of lines(folder, 'packed')) {
    for (let i = 0; i < 40; i++) {
      const data = bytes(hex).slice(0, chance(hex.length / 2 + 1))
      for (let j = 0; j < chance(4) && data.length; j++) data[chance(data.length)] = chance(256)
      try {
        packets.readPacked(data)
      } catch (failure) {
        assert.ok(failure instanceof Malformed, String(failure.stack))
      }
    }
  }
}

// Comments stand among events in their order, however the stream is cut; an event that has not ended is not told.
function comments() {
  const text = ': resumed\n\nevent: snapshot\nid: 7-1\ndata: {"scene":"größe"}\n\n:behind\nevent: change\r\nid: 7-2\r\ndata: {"a":\r\n' +
    'data:1}\r\n\r\n:\n\ndata: {}\n'
  const expected = [
    { comment: 'resumed' }, { event: 'snapshot', id: '7-1', data: { scene: 'größe' } }, { comment: 'behind' },
    { event: 'change', id: '7-2', data: { a: 1 } }, { comment: '' },
  ]
  const data = Buffer.from(text)
  for (let at = 0; at <= data.length; at++) {
    const reader = new packets.EventReader()
    assert.deepEqual([...reader.read(data.subarray(0, at)), ...reader.read(data.subarray(at))], expected, `cut at ${at}`)
  }
  assert.deepEqual(new packets.EventReader().feed(data), expected.filter(part => part.event))
}

// What a tick says is told in the order of the form, by the things that its indices mean.
function delta() {
  const told = []
  const tell = what => (...words) => { told.push([what, ...words.slice(0, -1)]) }
  const reader = new DeltaReader({
    created: tell('created'), moved: tell('moved'), changed: tell('changed'), deleted: tell('deleted'), event: tell('event'),
  })
  const state = {
    objects: [{ i: 0, key: 'a', name: 'lamp' }], devices: [{ i: 1, key: 'd' }], properties: [{ i: 2, key: 'p', values: [1] }],
  }
  const whole = { object: [{ key: 'a', name: 'lamp' }], device: [{ key: 'd' }], property: [{ key: 'p', values: [1] }] }
  assert.deepEqual(reader.begin(state), whole)
  const [a, b, d, p] = [['object', 'a'], ['object', 'b'], ['device', 'd'], ['property', 'p']].map(([kind, key]) => ({ kind, key }))
  const tick = {
    prev: 7, seq: 9, time_us: 1, n: [{ i: 3, kind: 'object', key: 'b', name: 'new' }], p: [[3, 1, 2, 3, 1, 0, 0, 0], [99, 0, 0, 0, 1, 0, 0, 0]],
    r: [{ i: 0, name: null, reason: 'released' }, { i: 2, values: [2] }], x: [1, 0, 99], e: [{ msg_type: 41 }],
  }
  reader.take(tick)
  assert.deepEqual(told, [
    ['created', b, { key: 'b', name: 'new' }], ['moved', b, [3, 1, 2, 3, 1, 0, 0, 0]], ['changed', a, { name: null }],
    ['changed', p, { values: [2] }], ['deleted', d], ['deleted', a], ['event', { msg_type: 41 }],
  ])
  told.length = 0
  reader.take({ ...tick, n: [], x: [], e: [] })
  assert.deepEqual(told.map(([what, thing]) => [what, thing.key]), [['moved', 'b'], ['changed', 'p']], 'what was deleted is not known')
  reader.begin({})
  told.length = 0
  reader.take({ prev: 9, seq: 10, time_us: 2, p: [[3, 1, 2, 3, 1, 0, 0, 0]] })
  assert.deepEqual(told, [], 'a snapshot begins anew')
}

// A stream is followed however often it breaks off: from where it was, and not where that cannot help.
async function streams() {
  const bodies = [ // what is answered to each try
    () => new Response(': here\n\nid: 3-7\ndata: {"n":1}\n\nid: 3-8\ndata: {"n"'),
    () => { throw new TypeError('nobody is there') },
    () => new Response('data: [', { status: 200 }),
    () => new Response('{"detail":"full"}', { status: 503, headers: { 'Retry-After': '9' } }),
    () => new Response('data: broken\n\n'),
    () => new Response('{"detail":"gone"}', { status: 404 }),
    () => new Response('data: {"n":2}\n\n'),
  ]
  const asked = [], told = []
  const http = new Http('http://server.example', '', async (url, { headers }) => {
    asked.push([url, headers['Last-Event-ID']])
    return bodies[asked.length - 1]()
  })
  const done = new Promise(ready => {
    const follower = new Follower(http, {
      path: '/v1/events', query: { topic: 'scenes' }, awayMs: 20,
      take: part => { told.push('event' in part ? part.data.n : part.comment) },
      taken: () => { told.push('taken') },
      broken: (failure, wait) => {
        told.push(failure?.name)
        if (failure?.status === 503) assert.equal(wait, 9000, 'Retry-After')
        else if (failure?.status === 404) assert.equal(wait, undefined)
        else assert.ok(failure?.name === 'Malformed' || wait <= 20, `${failure} ${wait}`)
        if (asked.length === 6) setTimeout(() => follower.retry(), 50)
        else if (asked.length === 4 || asked.length === 5) setTimeout(() => follower.retry())
        else if (asked.length === 7) {
          follower.end()
          ready()
        }
      },
    })
    follower.begin()
  })
  await done
  assert.deepEqual(told, ['here', 1, 'taken', undefined, 'ConnectionFailed', 'taken', undefined, 'Unavailable', 'Malformed', 'NotFound', 2,
    'taken', undefined])
  const ended = await new Promise(ready => {
    const taken = [], once = new Http('http://server.example', '', async () => new Response('data: {"n":1}\n\ndata: {"n":2}\n\n'))
    const follower = new Follower(once, {
      path: '/v1/events', take: part => { taken.push(part.data.n); follower.end(); setTimeout(() => ready(taken), 50) },
      taken: () => { taken.push('taken') }, broken: () => { taken.push('broken') },
    })
    follower.begin()
  })
  assert.deepEqual(ended, [1], 'nothing is told any more')
  assert.deepEqual(asked, Array.from({ length: 7 }, (_, i) => ['http://server.example/v1/events?topic=scenes', i ? '3-7' : undefined]))
}

// One request is sent once, with its body as it is, and says why there is no answer to it.
async function requests() {
  const asked = []
  const server = createServer(async (request, answer) => {
    const parts = []
    for await (const part of request) parts.push(part)
    asked.push({ method: request.method, url: request.url, type: request.headers['content-type'], body: Buffer.concat(parts).toString() })
    if (request.url === '/full') answer.writeHead(503, { 'Retry-After': '7' }).end('no JSON')
    else if (request.url === '/held') answer.writeHead(423).end('{"title":"held","holder":"rig"}')
    else if (request.url === '/late' && asked.at(-2).url !== '/late') answer.writeHead(429, { 'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT' }).end()
    else if (request.url !== '/never') answer.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise(done => { server.on('listening', done) })
  const http = new Http(`http://127.0.0.1:${server.address().port}`)
  const last = async (body, headers) => {
    assert.equal(await (await http.request('POST', '/x', { query: { q: 1, none: undefined }, body, headers })).text(), '{}')
    return asked.at(-1)
  }
  assert.deepEqual(await last({ a: 1 }), { method: 'POST', url: '/x?q=1', type: 'application/json', body: '{"a":1}' })
  assert.deepEqual(await last(), { method: 'POST', url: '/x?q=1', type: undefined, body: '' })
  assert.deepEqual(await last(new Blob(['bytes'], { type: 'image/webp' })), { method: 'POST', url: '/x?q=1', type: 'image/webp', body: 'bytes' })
  assert.equal((await last({}, { 'Content-Type': 'application/merge-patch+json' })).type, 'application/merge-patch+json')
  const form = new FormData()
  form.append('file', new Blob(['bytes']), 'a.glb')
  const sent = await last(form)
  assert.match(sent.type, /^multipart\/form-data; boundary=/)
  assert.match(sent.body, /name="file"; filename="a.glb"[^]*bytes/)

  const before = asked.length
  await assert.rejects(http.request('GET', '/full'), { name: 'Unavailable', status: 503, retryAfter: 7, holder: '', detail: 'no JSON' })
  await assert.rejects(http.request('PUT', '/held'), failure => failure instanceof Locked && failure.holder === 'rig' && failure.retryAfter === 0)
  assert.equal(asked.length, before + 2, 'each was sent once')
  await assert.rejects(http.request('GET', '/late'), failure => failure instanceof Budget && failure.retryAfter === 0)
  await http.request('GET', '/x')
  assert.deepEqual(await http.call('GET', '/late'), {})
  assert.equal(asked.length, before + 6, 'call sends again what is safe')
  const circle = {}
  circle.circle = circle
  await assert.rejects(http.call('PUT', '/x', circle), TypeError)
  assert.equal(asked.length, before + 6, 'what is no JSON is not sent at all')

  assert.equal(http.target('/x', { topic: ['a', 'b&c'], none: [], empty: '', of: undefined, most: 0 }), `${http.base}/x?topic=a&topic=b%26c&most=0`)

  const stop = new AbortController()
  const waiting = http.request('GET', '/never', { signal: stop.signal })
  stop.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
  server.close()
  server.closeAllConnections()
  await assert.rejects(http.request('GET', '/x'), ConnectionFailed)
}

// A server of the test's own: what `answer` says to each request that is not the first.
async function playing(answer, then) {
  const asked = []
  const d = await Diorama.connect('http://server.example', { fetch: async (url, request) => {
    asked.push({ target: `${request.method} ${url.slice('http://server.example'.length)}`, body: request.body })
    return asked.length === 1 ? Response.json({}) : answer(asked.at(-1))
  } })
  asked.length = 1
  await then(d, asked)
}

// An operation is called by its name with all parts of its path, or not at all.
async function calls() {
  await playing(() => Response.json({ objects: [] }), async (d, asked) => {
    const refusal = message => ({ name: 'DioramaError', message })
    await assert.rejects(d.call('objectUpdate', { scene: 's' }, {}), refusal('objectUpdate needs {object}'))
    await assert.rejects(d.call('objectUpdate', { scene: '', object: 'o' }, {}), refusal('objectUpdate needs {scene}'))
    await assert.rejects(d.call('nonsense'), refusal("there is no operation 'nonsense'"))
    await assert.rejects(d.call('toString'), refusal("there is no operation 'toString'"))
    assert.equal(asked.length, 1, 'nothing was sent')
    assert.deepEqual(await d.call('objectUpdate', { scene: 's/1', object: 'o' }, {}), { objects: [] })
    assert.equal(asked[1].target, 'POST /v1/scene/s%2F1/object/o')
  })
}

// An answer is what its Content-Type says.
async function answers() {
  const given = [new Response('7526'), Response.json({ a: 1 }), new Response('{"a":2}', { headers: { 'Content-Type': 'application/geo+json' } }),
    new Response(null, { status: 204 }), new Response('{"a":', { headers: { 'Content-Type': 'application/json' } })]
  given[0].headers.set('Content-Type', 'text/plain')
  await playing(() => given.shift(), async d => {
    assert.equal(await d.call('assetCount'), '7526')
    assert.deepEqual(await d.call('assetCount'), { a: 1 })
    assert.deepEqual(await d.call('assetCount'), { a: 2 })
    assert.equal(await d.call('assetCount'), undefined)
    await assert.rejects(d.call('assetCount'), { name: 'Malformed', message: 'an answer is no JSON: {"a":' })
  })
}

// What is no address, and an address where nobody listens.
async function addresses() {
  for (const url of ['127.0.0.1:18080', 'localhost:8080', 'scenes.example.org', 'ftp://127.0.0.1', 'http://', '']) {
    await assert.rejects(Diorama.connect(url), { name: 'DioramaError', message: `${url} is no address of a server: it needs http:// in front` })
  }
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise(done => { server.on('listening', done) })
  const url = `http://127.0.0.1:${server.address().port}`
  await new Promise(done => { server.close(done) })
  await assert.rejects(Diorama.connect(url), { name: 'ConnectionFailed', message: `GET ${url}/v1/session: TypeError: fetch failed (ECONNREFUSED)` })
}

// A file goes there and comes back; its next version has another key.
async function files(url) {
  const d = await Diorama.connect(url)
  const text = async key => (await d.download(key)).text()
  const first = await d.upload(new Blob(['one'], { type: 'text/plain' }), 'note.txt', { query: { description: 'a note' } })
  assert.match(first, /^[0-9a-f]{24}$/)
  assert.equal(await text(first), 'one')
  const assets = await d.call('assetList', {}, undefined, { query: { key: first } })
  assert.deepEqual(assets.map(asset => [asset.name, asset.description]), [['note.txt', 'a note']])
  const second = await d.upload(new Blob(['two'], { type: 'text/plain' }), 'note.txt', { asset: first })
  assert.notEqual(second, first)
  assert.equal(await text(second), 'two')
  const form = new FormData()
  form.append('file', new Blob(['three']), 'other.txt')
  assert.equal(await text(await d.call('assetCreate', {}, form)), 'three')
  await assert.rejects(d.download('0'.repeat(24)), NotFound)
  await d.close()

  let lost = 0
  const lossy = await Diorama.connect(url, { fetch: async (...request) => {
    const answer = await fetch(...request)
    if (request[1]?.method === 'POST' && !lost++) throw new TypeError('lost')
    return answer
  } })
  const once = await lossy.upload(new Blob(['four']), 'four.txt')
  const named = await lossy.call('assetList', {}, undefined, { query: { name: 'four.txt' } })
  assert.deepEqual([lost, ...named.map(asset => asset.key)], [2, once], 'an upload whose answer is lost is done once')
}

const until = async is => { while (!(await is())) await rest(5) } // as long as it takes: the test that runs this ends it

// A scene with one object, whose events and answers to writes come when the test says so.
async function withheld(then) {
  const waiting = []
  let stream
  const tell = (event, data) => stream.enqueue(Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`))
  const snapshot = (epoch, seq, name) => tell('snapshot', { epoch, seq, objects: [{ key: 'o', name, tags: ['t'] }] })
  const answer = ({ target }) => {
    if (target.includes('/events')) {
      const body = new ReadableStream({ start: controller => { stream = controller } })
      snapshot(1, 1, 'first')
      return new Response(body)
    }
    return target.startsWith('POST /v1/scene/s/object')
      ? new Promise(done => { waiting.push((record, place) => done(Response.json({ ...place, objects: [record] }))) }) : Response.json({})
  }
  await playing(answer, async d => {
    const scene = await d.scene('s', { form: 'sse' }), told = []
    scene.on('change', ({ kind, members, prev, seq }) => told.push([kind, [...members], prev, seq]))
    let marks = 0
    scene.on('event', () => { marks++ })
    const taken = async () => { // all that was told before
      const mark = marks + 1
      tell('mark', {})
      await until(() => marks === mark)
    }
    const asked = async done => {
      await until(() => waiting.length)
      const give = waiting.shift()
      return [done, give]
    }
    await then({
      scene, told, object: scene.get('o'),
      event: (seq, members, key = 'o') => { tell('change', { msg_type: 1, seq, object: { key, tags: ['t'], ...members } }); return taken() },
      gone: (seq, key) => { tell('change', { msg_type: 3, seq, object: { key } }); return taken() },
      restart: (epoch, seq, name) => { snapshot(epoch, seq, name); return taken() },
      // A save that waits for its answer: a function that gives it, and returns when save() has.
      saving: async members => {
        const [done, give] = await asked(scene.get('o').save(members))
        return (record, place) => { give({ key: 'o', tags: ['t'], ...record }, place); return done }
      },
      creating: async members => {
        const [done, give] = await asked(scene.create(members))
        return (record, place) => { give(record, place); return done }
      },
    })
    await d.close()
  })
}

const at = seq => ({ epoch: 1, seq }) // of the answer to a write

// What is saved shows when save() returns, whatever events come before and after the answer; the newest state wins.
async function order() {
  await withheld(async ({ object, saving, event, told }) => {
    const answer = await saving({ name: 'second' })
    await event(2, { name: 'second' })
    await event(3, { name: 'third' })
    await answer({ name: 'second' }, at(2))
    assert.equal(object.name, 'third', 'an event after that of the write')
    assert.deepEqual(told, [['updated', ['name'], 3, 3]])
  })
  await withheld(async ({ object, saving, event, told }) => {
    await (await saving({ name: 'second', type: '' }))({ name: 'second' }, at(2))
    await (await saving({ name: '', type: 'lamp' }))({ type: 'lamp' }, at(3))
    await (await saving({ name: 'fourth' }))({ name: 'fourth', type: 'lamp' }, at(4))
    for (const [seq, members] of [[2, { name: 'second' }], [3, { type: 'lamp' }], [4, { name: 'fourth', type: 'lamp' }]]) {
      await event(seq, members)
      assert.deepEqual([object.name, object.type], ['fourth', 'lamp'], `the event of a write before the newest: ${seq}`)
    }
    assert.deepEqual(told, [], 'what shows already is no change')
    await event(5, { name: 'fifth', type: 'lamp' })
    assert.equal(object.name, 'fifth')
  })
  await withheld(async ({ object, saving, event }) => {
    const first = await saving({ name: 'second' }), second = await saving({ name: 'third' })
    await second({ name: 'third' }, at(3))
    await first({ name: 'second' }, at(2))
    assert.equal(object.name, 'third', 'an answer that comes late is older')
    await event(2, { name: 'second' })
    assert.equal(object.name, 'third')
  })
  await withheld(async ({ object, saving }) => {
    const answer = await saving({ name: 'second' })
    object.move({ name: 'third' })
    await answer({ name: 'second' }, at(2))
    assert.equal(object.name, 'third', 'what was written since')
  })
  await withheld(async ({ saving, event, told }) => {
    await (await saving({ name: 'second' }))({ name: 'second', type: 'lamp' }, at(2))
    await event(2, { name: 'second', type: 'lamp' })
    assert.deepEqual(told, [['updated', ['type'], 1, 2]], 'what the answer says beyond what was written is told once')
  })
  await withheld(async ({ object, saving }) => {
    await (await saving({ translation: [1, 2, 3] }))({ transform: [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1] }, at(2))
    assert.deepEqual(object.poseAt().slice(12, 15), [1, 2, 3], 'what was moved here is drawn there, not on its way')
  })
}

// An answer without a number (to a repeat), or with one of another start, shows until the server says what is.
async function unnumbered() {
  for (const place of [{}, { epoch: 2, seq: 1 }, { epoch: 2, seq: 9 }]) {
    await withheld(async ({ object, saving, event, told }) => {
      await (await saving({ name: 'third' }))({ name: 'third' }, place)
      await event(2, { name: 'second' })
      assert.equal(object.name, 'third', 'an event before that of the write')
      await event(3, { name: 'third' })
      await event(4, { name: 'fourth' })
      assert.equal(object.name, 'fourth')
      assert.deepEqual(told.map(([, , , seq]) => seq), [4])
    })
  }
  await withheld(async ({ object, saving, event, restart }) => {
    await (await saving({ name: 'second' }))({ name: 'second' }, { epoch: 2, seq: 1 })
    await restart(2, 1, 'second')
    assert.equal(object.name, 'second')
    await event(2, { name: 'third' })
    assert.equal(object.name, 'third')
    await (await saving({ name: 'fourth' }))({ name: 'fourth' }, { epoch: 2, seq: 3 })
    await event(3, { name: 'fourth' })
    assert.equal(object.name, 'fourth')
  })
}

// What is created is there when create() returns, unless it has gone by then.
async function creations() {
  await withheld(async ({ scene, creating, event, told }) => {
    const lamp = await (await creating({ name: 'lamp' }))({ key: 'l' }, at(2))
    assert.deepEqual([lamp.exists, lamp.name, told], [true, 'lamp', []])
    await event(2, { name: 'lamp' }, 'l')
    assert.deepEqual([scene.get('l'), told.map(([kind, , , seq]) => [kind, seq])], [lamp, [['created', 2]]])
  })
  await withheld(async ({ scene, creating, event, gone }) => {
    const answer = await creating({ name: 'lamp' })
    await event(2, { name: 'lamp' }, 'l')
    await gone(3, 'l')
    assert.equal((await answer({ key: 'l' }, at(2))).exists, false)
    assert.equal(scene.get('l'), undefined)
  })
}

// What shows after a write is what the server has.
async function writes(url, key, form) {
  const d = await Diorama.connect(url)
  const scene = await d.scene(`${key}-${form}`, { form, ...(form === 'packed' || form === 'plain' ? { feed: udp } : {}) })
  const told = []
  scene.on('change', ({ kind, object, members }) => told.push([kind, object.key, [...members]]))
  const lamp = await scene.create({ name: 'lamp', tags: ['t'], nmae: 'x', values: [1], lock: {} })
  const has = async () => shownOf((await d.call('objectGet', { scene: scene.key, object: lamp.key })).objects[0])
  assert.deepEqual(lamp.members, await has())
  await until(() => told.length === 1) // its own create is told
  assert.deepEqual(told.splice(0).map(change => change.slice(0, 2)), [['created', lamp.key]])
  for (const members of [{ tags: [] }, { name: null }, { nmae: 'y' }, { values: [2] }, { tags: ['u', 'v'] }, { subtype: 'a' }, { subtype: '' }]) {
    await lamp.save(members)
    assert.deepEqual(lamp.members, await has(), JSON.stringify(members))
  }
  assert.deepEqual([lamp.name, lamp.get('tags'), lamp.get('subtype')], ['lamp', ['u', 'v'], undefined])
  const next = await scene.create({ name: 'next' })
  await until(() => told.at(-1)?.[1] === next.key) // so are the events before that
  assert.deepEqual(told.slice(0, -1).map(([kind, , members]) => [kind, ...members]), [['updated', 'nmae'], ['updated', 'values']],
    'of an own save only that is told which the server does not have')
  await lamp.save({ scale: [2, 2, 2] })
  assert.equal(lamp.transform[0], 2)
  const load = await scene.create({ name: 'load', parent: lamp.key, values: [1], visible: true }, 'property')
  assert.deepEqual(load.members, { name: 'load', parent: lamp.key, scene: scene.key, values: [1] })
  await load.save({ visible: false, values: [2] })
  assert.deepEqual(load.members, { name: 'load', parent: lamp.key, scene: scene.key, values: [2] })
  await d.close()
  process.exit(0)
}

const shownOf = ({ key: _, ...record }) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== '' && value !== null && value.length !== 0))

// What was deleted shows what it showed last.
async function deletes(url, key, form) {
  const d = await Diorama.connect(url)
  const scene = await d.scene(`${key}-${form}`, { form, ...(form === 'packed' || form === 'plain' ? { feed: udp } : {}) })
  const lamp = await scene.create({ name: 'lamp', tags: ['t'] })
  await lamp.save({ type: 'light' })
  const last = { ...lamp.members }
  await lamp.delete()
  for await (const { kind, object } of scene) {
    if (kind !== 'deleted') continue
    assert.equal(object, lamp)
    assert.deepEqual([object.exists, object.name, object.type, object.members], [false, 'lamp', 'light', last])
    break
  }
  assert.equal(scene.get(lamp.key), undefined)
  await d.close()
  process.exit(0)
}

// What the server took although it is probably not meant is told, or printed if nobody listens.
async function warnings(url, key) {
  const d = await Diorama.connect(url), scene = await d.scene(key)
  const printed = [], told = []
  console.warn = text => printed.push(text)
  const path = `/v1/scene/${key}/object`, detail = 'is not known here; the nearest is name', pointer = '/objects/0/nmae'
  const end = scene.on('warning', warning => told.push(warning))
  const lamp = await scene.create({ name: 'lamp', nmae: 'x' })
  await lamp.save({ nmae: 'x' })
  await lamp.save({ name: 'lamp' })
  assert.deepEqual(told, [{ request: `POST ${path}`, pointer, detail }, { request: `POST ${path}/${lamp.key}`, pointer, detail }])
  assert.deepEqual(printed, [])
  end()
  await lamp.save({ nmae: 'x' })
  await d.call('objectUpdate', { scene: key, object: lamp.key }, { objects: [{ nmae: 'x' }] })
  assert.deepEqual(printed.splice(0), Array(2).fill(`diorama: POST ${path}/${lamp.key}: ${pointer} ${detail}`))
  told.length = 0
  await d.call('objectUpdate', { scene: key, object: lamp.key }, { objects: [{ nmae: 'x' }] }, { warned: warning => told.push(warning) })
  assert.deepEqual([told.map(warning => warning.pointer), printed], [[pointer], []])
  await assert.rejects(d.call('objectUpdate', { scene: key, object: lamp.key }, { objects: [{ nmae: 'x' }] }, { query: { strict: true } }), BadInput)
  await d.close()
  await playing(() => new Response('key', { headers: { 'Content-Type': 'text/plain', 'Diorama-Warnings': '[{"pointer":"/a","detail":"b"}]' } }),
    async other => { await other.call('assetCreate', {}, new FormData()) })
  assert.deepEqual(printed, ['diorama: POST /v1/asset: /a b'])
}

async function follow(url, key, form, loss) {
  const d = await Diorama.connect(url)
  if (Number(loss)) await lose(Number(loss))
  const scene = await d.scene(key, { device: `ts-${form}`, form, ...(form === 'packed' || form === 'plain' ? { feed: udp } : {}) })
  const known = new Map(scene.entities.map(entity => [entity.key, { ...entity.members }]))
  void (async () => {
    for await (const { kind, object } of scene) {
      if (kind === 'deleted') known.delete(object.key)
      else known.set(object.key, { ...object.members })
    }
  })()
  for await (const line of createInterface({ input: process.stdin })) {
    assert.equal(line, 'state')
    console.log(JSON.stringify({ known: Object.fromEntries(known), state: scene.state, gaps: scene.gaps }))
  }
  await d.close()
  process.exit(0)
}

// So many of the datagrams that node gets do not arrive.
async function lose(share) {
  const { Socket } = await import('node:dgram')
  const on = Socket.prototype.on
  let seed = 3
  Socket.prototype.on = function (event, handler) {
    return on.call(this, event, event !== 'message' ? handler : (...given) => {
      seed = (seed * 48271) % 2147483647
      if (seed / 2147483647 >= share) handler(...given)
    })
  }
}

async function use(url, key) {
  const d = await Diorama.connect(url)
  const plaza = await d.scene(key, { rate: 30, convention: 'gltf' })
  const seen = []
  plaza.on('object', (o, change) => seen.push([o.name, change.kind]))
  const lamp = plaza.find({ name: 'lamp' }) ?? await plaza.create({ name: 'lamp', translation: [1, 2, 3] })
  const lock = await lamp.lock({ lease: 3 })
  lamp.move({ translation: [4, 5, 6] })
  assert.deepEqual(lamp.translation, [4, 5, 6])
  await lamp.save()
  const read = async () => (await d.call('objectGet', { scene: key, object: lamp.key })).objects[0]
  assert.equal((await read()).transform[3], 4)
  assert.deepEqual(lamp.poseAt().slice(12, 15), [4, 5, 6], 'column by column')
  const { until_us: end } = (await read()).lock
  await until(async () => (await read()).lock.until_us > end) // it is renewed
  assert.equal((await read()).lock.fence, lock.fence)
  await until(() => seen.some(([name, kind]) => name === 'lamp' && kind === 'created'))

  await d.call('objectLock', { scene: key, object: lamp.key }, { device: 'thief', lease_s: 30, force: true })
  await assert.rejects(lamp.save({ name: 'late' }), failure => failure instanceof Locked && failure.holder === 'thief')
  assert.equal(lamp.name, 'lamp', 'rolled back')
  await lock.lost
  assert.ok(lock.isLost)

  await assert.rejects(plaza.create({ name: 'x', tags: 'none' }), failure =>
    failure instanceof BadInput && failure instanceof ApiError && failure.pointer === '/objects/0/tags')
  await assert.rejects(d.scene('nowhere-' + key, { create: false }), NotFound)
  await assert.rejects(Diorama.connect('http://127.0.0.1:9'), ConnectionFailed)
  await once(url, key)
  await d.close()
  process.exit(0)
}

// A request whose answer is lost is done once.
async function once(url, key) {
  let lost = 0
  const lossy = async (...request) => {
    const answer = await fetch(...request)
    if (request[1]?.method === 'POST' && request[0].includes('/object?') && !lost++) throw new TypeError('lost')
    return answer
  }
  const d = await Diorama.connect(url, { fetch: lossy })
  const scene = await d.scene(key + '-once')
  await scene.create({ name: 'once' })
  const { objects } = await d.call('objectQuery', { scene: key + '-once' }, {}, { repeat: 'safe' })
  assert.deepEqual(objects.map(object => object.name), ['once'])
  assert.equal(lost, 2)
  await d.close()
}

const tasks = { golden, gaps, comments, delta, requests, streams, calls, answers, addresses, files, order, unnumbered, creations, warnings, writes, deletes, follow, use }
await tasks[what](...words)
