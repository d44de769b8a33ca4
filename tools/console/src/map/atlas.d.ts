// The coasts are large: what is in them is not told to the compiler.
declare module 'world-atlas/countries-110m.json' {
  const atlas: unknown
  export default atlas
}
