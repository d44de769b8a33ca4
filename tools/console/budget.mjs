// budget.mjs - the sizes of what browsers load: node budget.mjs FOLDER. Fails beyond the budgets.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

const folder = process.argv[2]
const FIRST_KB = 90 // page, style and script of the first screen, gzip
const REQUESTS = 6
const ALL_MB = 1.6 // every file in one form

const names = readdirSync(folder)
const text = name => readFileSync(join(folder, name), 'utf8')
const packed = name => gzipSync(readFileSync(join(folder, name)), { level: 9 }).length

// A script and all that it imports at once; what is imported later is written import("…").
function withImports(name, found = new Set()) {
  if (found.has(name)) return found
  found.add(name)
  for (const [, next] of text(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+)"/g)) withImports(next, found)
  return found
}

const page = text('index.html')
const entries = [...page.matchAll(/"\/console\/([\w.-]+\.(?:js|css))"/g)].map(match => match[1])
const first = new Set(['index.html'])
for (const entry of entries) for (const name of entry.endsWith('.js') ? withImports(entry) : [entry]) first.add(name)

const kb = set => [...set].reduce((sum, name) => sum + packed(name), 0) / 1000
const all = names.reduce((sum, name) => sum + readFileSync(join(folder, name)).length, 0) / 1e6
const budgets = [
  ['first screen, kB gzip', kb(first), FIRST_KB],
  ['first screen, requests', first.size, REQUESTS],
  ['all files, MB', all, ALL_MB],
]
const failed = budgets.filter(([, is, most]) => is > most)
for (const [what, is, most] of budgets) console.log(`${what}: ${is.toFixed(1)} of ${most}${is > most ? ' TOO MUCH' : ''}`)
process.exit(failed.length ? 1 : 0)
