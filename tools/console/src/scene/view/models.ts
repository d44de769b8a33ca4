// Models of things: GLB files, fetched once, four at a time, the copies sharing what they can.
import { type Group, Matrix4, Mesh, type Object3D } from 'three'
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js'
import { ask, path } from '../../api/http'

const AT_ONCE = 4
const LARGEST = 64 << 20 // bytes: more is left to programs

const loader = new GLTFLoader()
const models = new Map<string, Promise<Group | null>>()
let running = 0
const waiting: (() => void)[] = []

async function turn() {
  if (running >= AT_ONCE) await new Promise<void>(resolve => waiting.push(resolve))
  running++
}

function done() {
  running--
  waiting.shift()?.()
}

async function fetchModel(key: string): Promise<Group | null> {
  await turn()
  try {
    const answer = await ask('GET', path`/v1/asset/${key}`)
    if (Number(answer.headers.get('Content-Length') ?? 0) > LARGEST) return null
    const bytes = await answer.arrayBuffer()
    if (new DataView(bytes).byteLength < 12 || new DataView(bytes).getUint32(0, true) !== 0x46546c67) return null // "glTF"
    return (await loader.parseAsync(bytes, '')).scene
  } catch {
    return null // no model: the thing stays a box
  } finally {
    done()
  }
}

// The model of an asset, or null where it is none that can be shown.
export function modelOf(key: string): Promise<Group | null> {
  if (!models.has(key)) models.set(key, fetchModel(key))
  return models.get(key)!
}

// A copy for one thing; what one points at leads to it.
export function copyOf(model: Object3D, index: number): Object3D {
  const copy = model.clone(true)
  copy.traverse(part => {
    if (part instanceof Mesh) part.userData['index'] = index
  })
  copy.updateMatrix()
  copy.userData['own'] = new Matrix4().copy(copy.matrix)
  copy.matrixAutoUpdate = false
  return copy
}
