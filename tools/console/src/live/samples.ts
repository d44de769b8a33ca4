// Samples of the server and the series in them: a value a second. Pure; the worker and pages use it.
import type { Sample, Values } from './protocol'

export const SECONDS = 600 // that are shown

// The series that screens show.
export const names = [
  'http_requests', 'http_client_errors', 'http_server_errors', 'http_p50', 'http_p99', 'streams', 'stream_events', 'commits', 'commit_p99',
  'scenes', 'objects_loaded', 'devices', 'events', 'udp_in', 'udp_out', 'memory', 'processor',
] as const

export type Name = (typeof names)[number]

// What was known, and what came behind it.
export function appended(old: Sample, fresh: Sample): Sample {
  if (!fresh.series) return fresh
  const series: Record<string, Values> = {}
  for (const [name, values] of Object.entries(fresh.series)) series[name] = [...(old.series?.[name] ?? []), ...values].slice(-SECONDS)
  return { ...fresh, series }
}
