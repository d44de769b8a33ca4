// Numbers as people type them: 2, +0.5 (more), *2 and /3 (times), 90deg, 1.5rad. Pure.

export function readNumber(text: string, old: number, unit: 'plain' | 'degrees'): number | null {
  const words = text.trim().replace(/,/g, '.').replace(/−/g, '-').replace(/\s|m$/g, '')
  const match = /^(\+|\*|\/|-=|\+=)?(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)(deg|°|rad)?$/i.exec(words)
  if (!match) return null
  let value = Number(match[2])
  if (match[3] && unit === 'degrees') value = /rad/i.test(match[3]) ? (value * 180) / Math.PI : value
  switch (match[1]) {
    case '+':
    case '+=':
      return old + value
    case '-=':
      return old - value
    case '*':
      return old * value
    case '/':
      return value ? old / value : null
    default:
      return Number.isFinite(value) ? value : null
  }
}

export function writeNumber(value: number, digits = 3): string {
  const text = value.toFixed(digits)
  return text.includes('.') ? text.replace(/\.?0+$/, '').replace(/^-0$/, '0') : text
}

// Angles in degrees about y, x, z of a quaternion x y z w: R = Ry · Rx · Rz, as the server reads
// `euler_rotation`. Returned as x, y, z.
export function anglesOf(q: ArrayLike<number>): [number, number, number] {
  const [x, y, z, w] = [q[0]!, q[1]!, q[2]!, q[3]!]
  const sine = Math.max(-1, Math.min(1, 2 * (w * x - y * z)))
  const degrees = 180 / Math.PI
  if (Math.abs(sine) > 0.9999999)
    return [Math.asin(sine) * degrees, Math.atan2(-2 * (x * z - w * y), 1 - 2 * (y * y + z * z)) * degrees, 0]
  return [
    Math.asin(sine) * degrees,
    Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y)) * degrees,
    Math.atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z)) * degrees,
  ]
}
