// diorama-adapter.js - networked-aframe over a scene of Diorama. The room is the scene; a networked entity is an object of
// type "naf", which everybody sees where it is; what only networked-aframe understands lies in its `extras`.
NAF.adapters.register('diorama', class {
  mine = new Map() // by the id of an entity: what was said of it, and whether a request runs
  keys = new Map() // by the id of an entity: its object
  others = new Map() // by the key of an object: what others said
  peers = new Set(); id = crypto.randomUUID()
  setServerUrl(url) { this.url = url }
  setRoom(room) { this.path = `${this.url}/v1/scene/${encodeURIComponent(room)}` }
  setServerConnectListeners(connected, failed) { Object.assign(this, { connected, failed }) }
  setRoomOccupantListener(occupied) { this.occupied = occupied }
  setDataChannelListeners(opened, closed, received) { Object.assign(this, { opened, closed, received }) }
  setApp() {} setWebRtcOptions() {} sendData() {} sendDataGuaranteed() {} // all is said to the scene: who comes later reads it there
  shouldStartConnectionTo() { return true } getServerTime() { return Date.now() } broadcastDataGuaranteed(type, data) { this.broadcastData(type, data) }
  startStreamConnection(peer) { this.peers.add(peer); this.opened(peer) }
  closeStreamConnection(peer) { this.peers.delete(peer); this.closed(peer) }
  getConnectStatus(peer) { return this.peers.has(peer) ? NAF.adapters.IS_CONNECTED : NAF.adapters.NOT_CONNECTED }
  broadcastData(type, data) { // r: one goes; u, um: what changed of one, of several; all before it is connected is nothing yet
    if (type === 'r') this.remove(data.networkId)
    else if (type[0] === 'u' && NAF.clientId) for (const entity of data.d ?? [data]) this.say(entity)
  }
  async ask(method, path, body) {
    const options = { method, keepalive: method === 'DELETE', headers: { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) }
    const answer = await fetch(this.path + path, options).catch(error => NAF.log.error(error))
    return answer?.ok ? answer.json() : NAF.log.error(method, path, (await answer?.json())?.err_msg)
  }
  async connect() {
    if (!await this.ask('PUT', '', { scenes: [{}] })) return this.failed('diorama', 'the scene cannot be made')
    const stream = new EventSource(`${this.path}/events?rate=20`), read = event => JSON.parse(event.data)
    stream.addEventListener('snapshot', event => { // the first event, and after a pause
      const objects = read(event).objects, keys = new Set(objects.map(object => object.key))
      if (!NAF.clientId) this.connected(this.id)
      for (const key of [...this.others.keys()]) if (!keys.has(key)) this.take({ key })
      objects.forEach(object => this.take(object))
    })
    stream.addEventListener('change', event => this.take(read(event).msg_type === 3 ? { key: read(event).object.key } : read(event).object ?? {}))
    addEventListener('pagehide', () => this.mine.forEach((_, entity) => this.remove(entity)))
  }
  async say(entity) { // the newest wins, one request at a time
    const own = this.mine.get(entity.networkId) ?? this.mine.set(entity.networkId, {}).get(entity.networkId)
    Object.assign(own, { isNew: true, said: { ...own.said, ...entity, components: { ...own.said?.components, ...entity.components } } })
    while (own.isNew && !own.isBusy) {
      Object.assign(own, { isNew: false, isBusy: true })
      const { x = 0, y = 0, z = 0 } = own.said.components[0] ?? {}, key = this.keys.get(entity.networkId)
      const answer = await this.ask('POST', key ? `/object/${key}` : '/object', { objects: [{ name: entity.networkId, type: 'naf', translation: [x, y, z], extras: own.said }] })
      if (answer && !key) this.keys.set(entity.networkId, answer.objects[0].key)
      own.isBusy = false
    }
  }
  remove(entity) { if (this.mine.delete(entity) && this.keys.has(entity)) this.ask('DELETE', `/object/${this.keys.get(entity)}`) }
  take({ key, type, extras }) { // what an object is now; one without anything is gone
    const before = this.others.get(key), said = type === 'naf' && extras && extras.owner !== this.id ? extras : null
    if (said) this.others.set(key, said) && this.keys.set(said.networkId, key)
    else if (!before || !this.others.delete(key)) return
    if (!said) this.received(before.owner, 'r', before)
    this.occupied(Object.fromEntries([...this.others.values()].map(({ owner }) => [owner, true])))
    if (said) this.received(said.owner, 'u', { ...said, isFirstSync: true })
  }
})
