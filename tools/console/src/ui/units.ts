// Lengths, angles and times as people read them.

export function lengthOf(metres: number): string {
  if (metres < 0.01) return `${(metres * 1000).toFixed(1)} mm`
  if (metres < 1) return `${(metres * 100).toFixed(metres < 0.1 ? 1 : 0)} cm`
  return `${metres.toFixed(1)} m`
}

// Lengths that stand below each other: in centimetres up to a metre, so that they compare at a glance.
export function centimetresOf(metres: number): string {
  if (metres >= 1000) return `${(metres / 1000).toFixed(1)} km`
  return metres >= 1 ? `${metres.toFixed(2)} m` : `${(metres * 100).toFixed(1)} cm`
}

export function degreesOf(radians: number): string {
  return `${((radians * 180) / Math.PI).toFixed(2)}°`
}

// How long ago a time of the server was.
export function agoOf(time_us: number, now_ms = Date.now()) {
  const seconds = Math.max(0, now_ms / 1000 - time_us / 1e6)
  const words = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
  if (seconds < 60) return words.format(-Math.round(seconds), 'second')
  if (seconds < 3600) return words.format(-Math.round(seconds / 60), 'minute')
  return seconds < 86400 ? words.format(-Math.round(seconds / 3600), 'hour') : words.format(-Math.round(seconds / 86400), 'day')
}

export function countOf(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}

export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let at = 0
  for (; bytes >= 1000 && at < units.length - 1; at++) bytes /= 1000
  return `${at && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[at]}`
}
