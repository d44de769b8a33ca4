// Whether the disk of the server is nearly full: then nothing can be changed, and every screen says so.
import { signal } from '@preact/signals'
import { askJson, whenFull } from '../api/http'
import { sizeOf } from '../ui/units'

interface Disk {
  free: number
  reserve: number
  read_only: boolean
}

const EACH_MS = 3000

export const fullDisk = signal<Disk | null>(null)

export function fullWords({ free, reserve }: Disk) {
  return `The disk of the server is nearly full: ${sizeOf(free)} free, ${sizeOf(reserve)} kept back. Nothing can be changed until there is room.`
}

let isLooking = false

// Asks until there is room again.
async function look() {
  if (isLooking) return
  isLooking = true
  try {
    const { disk } = await askJson<{ disk: Disk }>('GET', '/v1/server')
    fullDisk.value = disk.read_only ? disk : null
  } catch {
    // what was known stays
  }
  isLooking = false
  if (fullDisk.value) setTimeout(() => void look(), EACH_MS)
}

export function watchDisk() {
  whenFull(() => void look())
  void look()
}
