// scene.js - a scene of the server as a scene of three.js, as long as the page is open.
import * as THREE from './node_modules/three/build/three.module.js'

const wish = new URLSearchParams(location.search)
const server = wish.get('server') ?? 'http://127.0.0.1:8080'
const name = encodeURIComponent(wish.get('scene') ?? 'plaza')

const scene = new THREE.Scene()
scene.background = new THREE.Color(0x14171c)
const camera = new THREE.PerspectiveCamera(50, 1, 0.1, 1000)
const renderer = new THREE.WebGLRenderer({ antialias: true })
const box = new THREE.BoxGeometry(1, 1, 1)
const meshes = new Map() // by the key of an object
camera.position.set(12, 10, 24)
camera.lookAt(4, 0, 6)
scene.add(new THREE.GridHelper(40, 40, 0x4a5563, 0x2b323c), new THREE.HemisphereLight(0xffffff, 0x555566, 3))
document.body.append(renderer.domElement)

function put(object) {
  let mesh = meshes.get(object.key)
  if (!mesh) {
    mesh = new THREE.Mesh(box, new THREE.MeshStandardMaterial({ color: 0x6cb0ff }))
    mesh.matrixAutoUpdate = false // the server says the whole matrix
    meshes.set(object.key, mesh)
    scene.add(mesh)
  }
  mesh.name = object.name
  if (object.transform) mesh.matrix.fromArray(object.transform) // column by column, as asked for
}

function remove(key) {
  const mesh = meshes.get(key)
  if (mesh) scene.remove(mesh)
  mesh?.material.dispose()
  meshes.delete(key)
}

// The first event is the state, each other one a change. A browser connects again by itself.
const stream = new EventSource(`${server}/v1/scene/${name}/events?layout=column&rate=30`)
stream.addEventListener('snapshot', event => {
  const objects = JSON.parse(event.data).objects
  const keys = new Set(objects.map(object => object.key))
  for (const key of [...meshes.keys()]) if (!keys.has(key)) remove(key)
  objects.forEach(put)
})
stream.addEventListener('change', event => {
  const { msg_type, object } = JSON.parse(event.data)
  if (msg_type === 3) remove(object.key)
  else if (object) put(object)
})

new ResizeObserver(() => {
  camera.aspect = innerWidth / innerHeight
  camera.updateProjectionMatrix()
  renderer.setSize(innerWidth, innerHeight)
}).observe(document.documentElement)
renderer.setPixelRatio(devicePixelRatio)
renderer.setAnimationLoop(() => renderer.render(scene, camera))
window.meshes = meshes // for the console of the browser: meshes.size
