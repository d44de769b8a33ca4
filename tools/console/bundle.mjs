// bundle.mjs - from src/, and sdk/ which it imports, to files for browsers, and from these to what the server embeds.
//   node bundle.mjs          bundles, compresses, writes files/, console_files.c and .pack beside it
//   node bundle.mjs --watch  writes watched/ at every change, for --console.dir=…/watched
// tools/console/build copies it to where its parts are.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import * as esbuild from 'esbuild'

const place = dirname(fileURLToPath(import.meta.url))
const source = join(place, 'src') // a link to the source, so that imports are looked for here
const watching = process.argv.includes('--watch')
const files = join(place, watching ? 'watched' : 'files')

const common = {
  absWorkingDir: place,
  preserveSymlinks: true,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: !watching,
  sourcemap: watching && 'linked',
  legalComments: 'none',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryNames: watching ? '[name]' : '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  outdir: files,
  metafile: true,
  logLevel: 'warning',
}

// The name of the file that an entry point became.
function output(result, entry) {
  const found = Object.entries(result.metafile.outputs).find(
    ([, made]) => made.entryPoint?.endsWith('/' + entry),
  )
  return basename(found[0])
}

async function bundle() {
  const worker = await esbuild.build({ ...common, entryPoints: [join(source, 'live/worker.ts')] })
  const main = await esbuild.build({
    ...common,
    entryPoints: [join(source, 'main.tsx'), join(source, 'style/main.css')],
    splitting: true,
    define: { WORKER_FILE: JSON.stringify(output(worker, 'live/worker.ts')) },
  })
  const page = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('main.js', output(main, 'main.tsx'))
    .replace('main.css', output(main, 'style/main.css'))
  writeFileSync(join(files, 'index.html'), page)
}

function zstd(bytes) {
  return execFileSync('zstd', ['-19', '-c', '-q'], { input: bytes, maxBuffer: 1 << 26 })
}

// All forms of all files in one pack, and a table of where they are. A form that saves nothing is
// left out.
function embed() {
  const pieces = []
  let size = 0
  const put = bytes => {
    pieces.push(bytes)
    size += bytes.length
    return `{console_pack + ${size - bytes.length}, ${bytes.length}}`
  }
  const rows = readdirSync(files).sort().map(name => {
    const plain = readFileSync(join(files, name))
    const hash = createHash('sha256').update(plain).digest('hex').slice(0, 32)
    const smaller = bytes => (bytes.length < plain.length ? put(bytes) : '{0}')
    return `    {"${name}", "${hash}",\n     {[CONTENT_CODING_IDENTITY] = ${put(plain)},\n` +
      `      [CONTENT_CODING_GZIP] = ${smaller(gzipSync(plain, { level: 9 }))},\n` +
      `      [CONTENT_CODING_ZSTD] = ${smaller(zstd(plain))}}},`
  })
  const pack = join(place, 'console_files.pack')
  const table = `// console_files.c - the files of the console; made by tools/console/build.
#include "gateway/console/console_file.h"

__asm__(".pushsection .rodata\\n"
        ".balign 16\\n"
        "console_pack: .incbin \\"${pack}\\"\\n"
        ".popsection");
extern const char console_pack[] __attribute__((visibility("hidden")));

const struct console_file console_files[] = {
${rows.join('\n')}
};
const size_t console_files_count = sizeof console_files / sizeof console_files[0];
// ${createHash('sha256').update(Buffer.concat(pieces)).digest('hex')}
`
  writeFileSync(pack, Buffer.concat(pieces))
  writeFileSync(join(place, 'console_files.c'), table)
}

rmSync(files, { recursive: true, force: true })
mkdirSync(files, { recursive: true })
await bundle()
if (!watching) embed()
else {
  const { watch } = await import('node:fs')
  let timer
  for (const folder of [source, join(place, 'sdk/src')]) {
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer)
      timer = setTimeout(() => bundle().catch(() => {}), 50)
    })
  }
}
