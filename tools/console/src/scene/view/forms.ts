// Which form a thing without a model has, by its type.
export type Form = 'box' | 'sphere' | 'cylinder' | 'cone' | 'plane' | 'light' | 'camera' | 'axes'

export function formOf(type: string, subtype: string): Form {
  const words = `${subtype} ${type}`.toLowerCase()
  if (/sphere|ball/.test(words)) return 'sphere'
  if (/cylinder|capsule/.test(words)) return 'cylinder'
  if (/cone/.test(words)) return 'cone'
  if (/plane|quad/.test(words)) return 'plane'
  if (/light|lamp|sun/.test(words)) return 'light'
  if (/camera/.test(words)) return 'camera'
  if (/curve|empty|anchor|bone|armature|axes/.test(words)) return 'axes'
  return 'box'
}
