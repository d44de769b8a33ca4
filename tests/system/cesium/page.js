// page.js - a map of CesiumJS that a test tells what to show, and asks what is there.
'use strict'
const viewer = new Cesium.Viewer('map', {
  baseLayer: false, baseLayerPicker: false, geocoder: false, timeline: false, animation: false, infoBox: false,
  selectionIndicator: false, skyBox: false, skyAtmosphere: false, requestRenderMode: false,
})
const live = new Cesium.CzmlDataSource()
const failures = []
let tileset, stream, sizes = []
viewer.dataSources.add(live)
viewer.scene.renderError.addEventListener((_, error) => failures.push(String(error)))
window.addEventListener('unhandledrejection', event => failures.push(String(event.reason)))

const numbers = matrix => Cesium.Matrix4.toArray(matrix)

// --- tiles ---

async function showTiles(url) {
  if (tileset) viewer.scene.primitives.remove(tileset)
  tileset = await Cesium.Cesium3DTileset.fromUrl(url)
  tileset.tileFailed.addEventListener(({ url, message }) => failures.push(`${url}: ${message}`))
  viewer.scene.primitives.add(tileset)
  await viewer.zoomTo(tileset, new Cesium.HeadingPitchRange(0, -0.7, 3 * tileset.boundingSphere.radius))
  return numbers(tileset.root.computedTransform)
}

// The frame that CesiumJS has for this place, turned about its Z, as the heading of a scene turns it.
function frameAt(longitude, latitude, height, heading) {
  const frame = Cesium.Transforms.eastNorthUpToFixedFrame(Cesium.Cartesian3.fromDegrees(longitude, latitude, height))
  const turn = Cesium.Matrix3.fromRotationZ(-Cesium.Math.toRadians(heading))
  return numbers(Cesium.Matrix4.multiplyByMatrix3(frame, turn, new Cesium.Matrix4()))
}

// What is on the screen of each object, by its key: the matrix from its model to the Earth.
function shownTiles() {
  const shown = {}
  const visit = tile => {
    const model = tile.content && tile.content._model
    if (model && model.ready) shown[tile.extras.object] = numbers(model.sceneGraph._computedModelMatrix)
    tile.children.forEach(visit)
  }
  if (tileset) visit(tileset.root)
  return shown
}

const selected = () => tileset._selectedTiles.map(tile => tile.extras && tile.extras.object).filter(Boolean).sort()

// Which objects are chosen to be drawn when the camera looks at a point of the tileset (in its axes) from this direction.
async function lookAlong(x, y, z, point, distance) {
  const frame = tileset.root.computedTransform
  const centre = Cesium.Matrix4.multiplyByPoint(frame, Cesium.Cartesian3.fromArray(point), new Cesium.Cartesian3())
  const away = Cesium.Matrix4.multiplyByPointAsVector(frame, new Cesium.Cartesian3(x, y, z), new Cesium.Cartesian3())
  Cesium.Cartesian3.normalize(away, away)
  const direction = Cesium.Cartesian3.negate(away, new Cesium.Cartesian3())
  const up = Cesium.Cartesian3.mostOrthogonalAxis(away, new Cesium.Cartesian3())
  const right = Cesium.Cartesian3.normalize(Cesium.Cartesian3.cross(direction, up, new Cesium.Cartesian3()), new Cesium.Cartesian3())
  viewer.camera.lookAtTransform(Cesium.Matrix4.IDENTITY)
  viewer.camera.setView({
    destination: Cesium.Cartesian3.add(centre, Cesium.Cartesian3.multiplyByScalar(away, distance, new Cesium.Cartesian3()), new Cesium.Cartesian3()),
    orientation: { direction, up: Cesium.Cartesian3.cross(right, direction, new Cesium.Cartesian3()) },
  })
  await frames(3)
  return selected()
}

function frames(count) {
  return new Promise(done => {
    const remove = viewer.scene.postRender.addEventListener(() => { if (--count <= 0) { remove(); done() } })
  })
}

// --- the stream ---

function follow(url) {
  stream = new EventSource(url)
  stream.addEventListener('czml', event => {
    const packets = JSON.parse(event.data)
    sizes.push(event.data.length)
    live[packets[0].id === 'document' ? 'load' : 'process'](packets, { sourceUri: url }).catch(error => failures.push(String(error)))
  })
}

// Of each entity, by its id: its matrix, or null where it has no place yet.
function entities() {
  const now = viewer.clock.currentTime
  return Object.fromEntries(live.entities.values.map(entity => {
    const matrix = entity.computeModelMatrix(now)
    return [entity.id, matrix ? numbers(matrix) : null]
  }))
}

// The same of what is on the screen.
function shownEntities() {
  const shown = {}
  for (let i = 0; i < viewer.scene.primitives.length; i++) {
    const model = viewer.scene.primitives.get(i)
    if (model instanceof Cesium.Model && model.ready && model.id) shown[model.id.id] = numbers(model.sceneGraph._computedModelMatrix)
  }
  return shown
}

function describe(id) {
  const entity = live.entities.getById(id), now = viewer.clock.currentTime
  if (!entity) return null
  return {
    name: entity.name || null, point: !!entity.point, model: entity.model && entity.model.show ? entity.model.show.getValue(now) : null,
    properties: entity.properties ? entity.properties.getValue(now) : null,
  }
}
