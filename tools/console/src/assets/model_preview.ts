// One model, turning slowly, and what it is made of.
import { Box3, DirectionalLight, HemisphereLight, Mesh, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three'
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'
import { palette } from '../scene/view/palette'

export interface Facts {
  triangles: number
  meshes: number
  size: [number, number, number] // metres
  animations: string[]
}

export async function showModel(bytes: ArrayBuffer, canvas: HTMLCanvasElement): Promise<{ facts: Facts; end: () => void }> {
  const gltf = await new GLTFLoader().parseAsync(bytes, '')
  const facts: Facts = { triangles: 0, meshes: 0, size: [0, 0, 0], animations: gltf.animations.map(clip => clip.name || 'unnamed') }
  gltf.scene.traverse(part => {
    if (!(part instanceof Mesh)) return
    facts.meshes++
    facts.triangles += (part.geometry.index?.count ?? part.geometry.getAttribute('position').count) / 3
  })
  const box = new Box3().setFromObject(gltf.scene)
  const size = box.getSize(new Vector3())
  facts.size = size.toArray()
  const scene = new Scene()
  scene.background = palette().ground
  const sun = new DirectionalLight(0xffffff, 1.8)
  sun.position.set(1, 2, 1.5)
  scene.add(new HemisphereLight(0xffffff, 0x8894a4, 1.6), sun, gltf.scene)
  const renderer = new WebGLRenderer({ canvas, antialias: true })
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2))
  renderer.setSize(canvas.clientWidth, canvas.clientHeight, false)
  const radius = Math.max(size.length() / 2, 1e-3)
  const camera = new PerspectiveCamera(40, canvas.clientWidth / canvas.clientHeight, radius / 100, radius * 100)
  const orbit = new OrbitControls(camera, canvas)
  box.getCenter(orbit.target)
  camera.position.copy(orbit.target).add(new Vector3(0.8, 0.5, 1).setLength(radius * 3))
  orbit.autoRotate = !matchMedia('(prefers-reduced-motion: reduce)').matches
  orbit.update()
  let frame = 0
  const draw = () => {
    frame = requestAnimationFrame(draw)
    if (orbit.update() || !orbit.autoRotate) renderer.render(scene, camera)
  }
  draw()
  const end = () => {
    cancelAnimationFrame(frame)
    orbit.dispose()
    renderer.dispose()
  }
  return { facts, end }
}
