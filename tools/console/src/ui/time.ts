// Times as the server writes them, as people read them.

// 2026.11.22.19.44.29, UTC
export function timeOf(stamp: string): string {
  const [year, month, day, hour, minute, second] = stamp.split('.').map(Number)
  const time = Date.UTC(year!, month! - 1, day, hour, minute, second)
  return Number.isNaN(time) ? stamp : new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(time)
}
