// Scenes within a circle, nearest first, as the server finds them; and the circle in the address.
import { askJson } from '../api/http'
import type { Scene } from '../api/types'
import { useAnswer } from '../ui/use_answer'
import type { Circle } from './drawing'

export type Found = Scene & { distance: number }

const MOST = 1000

export const textOf = ({ latitude, longitude, km }: Circle) => [latitude.toFixed(6), longitude.toFixed(6), Number(km.toPrecision(6))].join(',')

export function circleOf(text: string | null): Circle | null {
  const [latitude, longitude, km] = (text ?? '').split(',').map(Number)
  if (text === null || ![latitude, longitude, km].every(Number.isFinite)) return null
  return { latitude: latitude!, longitude: longitude!, km: km! }
}

// undefined: nobody asks, or the answer is under way.
export function useFound(circle: Circle | null) {
  const at = circle && textOf(circle)
  return useAnswer(async signal => {
    if (!circle) return undefined
    const { latitude, longitude, km } = circle
    const body = { scenes: [{ latitude, longitude, distance: km }], num_records: MOST }
    return askJson<{ scenes: Found[]; next_start_record?: number }>('POST', '/v1/scene/query?strict=true', { body, signal })
  }, [at])
}

export function distanceOf(km: number) {
  if (km < 1) return `${Math.round(km * 1000)} m`
  return `${km < 100 ? km.toFixed(1) : Math.round(km)} km`
}
