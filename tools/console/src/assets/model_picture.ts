// A small picture of a model, drawn once where nobody sees it. Nothing lies behind the model, so the
// picture fits dark pages and light ones.
import { Box3, DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'

const WIDTH = 320
const HEIGHT = 240 // as the faces of cards
const MOST_BYTES = 64 << 10 // that the server takes
const ANGLE = 30 // of the camera, degrees from bottom to top

// How far a camera of this angle is from the middle of a ball that it shows as a whole.
function distanceTo(radius: number): number {
  return radius / Math.sin((ANGLE * Math.PI) / 360)
}

function draw(model: Scene, canvas: HTMLCanvasElement) {
  const box = new Box3().setFromObject(model)
  const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3)
  const middle = box.getCenter(new Vector3())
  const camera = new PerspectiveCamera(ANGLE, WIDTH / HEIGHT, radius / 100, radius * 20)
  camera.position.copy(middle).add(new Vector3(0.8, 0.5, 1).setLength(distanceTo(radius)))
  camera.lookAt(middle)
  const sun = new DirectionalLight(0xffffff, 1.8)
  sun.position.set(1, 2, 1.5)
  const scene = new Scene()
  scene.add(new HemisphereLight(0xffffff, 0x8894a4, 1.6), sun, model)
  const renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true })
  renderer.setSize(WIDTH, HEIGHT, false)
  renderer.render(scene, camera)
  return renderer
}

function encode(canvas: HTMLCanvasElement, quality: number): Promise<Blob | null> {
  return new Promise(resolve => canvas.toBlob(resolve, 'image/webp', quality)) // a browser without WebP makes a PNG
}

// Null where it becomes too large.
export async function pictureOf(model: ArrayBuffer): Promise<Blob | null> {
  const gltf = await new GLTFLoader().parseAsync(model, '')
  const canvas = document.createElement('canvas')
  const renderer = draw(gltf.scene as unknown as Scene, canvas)
  try {
    for (const quality of [0.9, 0.7, 0.4]) {
      const picture = await encode(canvas, quality)
      if (picture && picture.size <= MOST_BYTES) return picture
    }
    return null
  } finally {
    renderer.dispose()
    renderer.forceContextLoss() // browsers have room for few contexts
  }
}
