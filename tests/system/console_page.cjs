// The console in a headless Chromium that does as it is told: each line on the standard input is a
// command as JSON, each line on the standard output its answer. Arguments: the folder of
// playwright-core, the browser's program, the file of axe-core.
'use strict'
const fs = require('fs')
const readline = require('readline')
const png = require('./console_png.cjs')
const [folder, program, axeFile] = process.argv.slice(2)
const { chromium } = require(folder)

const ARGS = [
  '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
  '--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb',
  '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
]

class Tab {
  constructor(page, session) {
    this.page = page
    this.session = session
    this.complaints = [] // what the browser complains of: errors, violations of the policy
    this.origins = new Set()
  }

  static async open(browser, { scheme = 'light', width = 960, height = 600, init = '' }, neighbour) {
    const context = neighbour?.page.context() ?? (await browser.newContext({ colorScheme: scheme, viewport: { width, height } }))
    const page = await context.newPage()
    if (init) await page.addInitScript(init)
    const tab = new Tab(page, await context.newCDPSession(page))
    page.on('pageerror', error => tab.complaints.push(String(error.stack)))
    page.on('console', message => {
      const text = message.text()
      if (/Content Security|TrustedScript|trusted type/i.test(text)) tab.complaints.push(text)
    })
    page.on('dialog', dialog => (tab.complaints.push(`a dialog: ${dialog.message()}`), dialog.dismiss()))
    context.on('request', request => tab.origins.add(new URL(request.url()).origin))
    return tab
  }

  // The policy of the page forbids eval, the debugger may.
  async run(expression) {
    const { result, exceptionDetails } = await this.session.send('Runtime.evaluate', {
      expression: `(async () => (${expression}))()`, awaitPromise: true, returnByValue: true, userGesture: true,
    })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value ?? null
  }

  // `only`: names of rules; else all of WCAG 2.2 AA, but for those `without`.
  async axe(only, without = []) {
    const rules = only ?? ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
    await this.session.send('Runtime.evaluate', { expression: fs.readFileSync(axeFile, 'utf8') })
    const off = Object.fromEntries(without.map(rule => [rule, { enabled: false }]))
    return this.run(`axe.run({ runOnly: ${JSON.stringify(rules)}, rules: ${JSON.stringify(off)} }).then(found =>
      found.violations.map(rule => rule.id + ': ' + rule.nodes.map(node => node.target.join(' ') + ' ' + node.failureSummary).join('; ')))`)
  }
}

// Bytes that are held after garbage is collected: of JavaScript, of typed arrays, and of the browser's
// own objects behind both.
async function heapOf(send) {
  await send('HeapProfiler.enable')
  await send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize, embedderHeapUsedSize } = await send('Runtime.getHeapUsage')
  return { script: usedSize, arrays: backingStorageSize, browser: embedderHeapUsedSize }
}

// What `ask` says of the shared worker, to which it sends what the debugger knows.
async function askWorker(browser, ask) {
  const session = await browser.newBrowserCDPSession()
  const { targetInfos } = await session.send('Target.getTargets')
  const { targetId } = targetInfos.find(({ type }) => type === 'shared_worker')
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false })
  const waiting = new Map()
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result, error } = JSON.parse(message)
    const [take, refuse] = waiting.get(id) ?? []
    if (error) refuse?.(new Error(error.message))
    else take?.(result)
  })
  let last = 0
  const send = (method, params = {}) =>
    new Promise((take, refuse) => {
      waiting.set(++last, [take, refuse])
      session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id: last, method, params }) }).catch(refuse)
    })
  try {
    return await ask(send)
  } finally {
    await session.detach()
  }
}

// What the page's thread did, in milliseconds of processor time: each of its tasks, and each message
// that it took. Other things that the machine did meanwhile are not in them, as they are in what a
// clock says.
function workOf(events) {
  const threads = events.filter(({ ph, name, args }) => ph === 'M' && name === 'thread_name' && args.name === 'CrRendererMain')
  const works = threads.map(({ pid, tid }) => {
    const mine = events.filter(event => event.pid === pid && event.tid === tid && event.tdur !== undefined)
    const times = fits => mine.filter(fits).map(({ tdur }) => tdur / 1000)
    return {
      tasks: times(({ name }) => name === 'ThreadControllerImpl::RunTask'),
      messages: times(({ name, args }) => name === 'FunctionCall' && /onmessage$/.test(args.data.functionName)),
    }
  })
  return works.sort((a, b) => b.messages.length - a.messages.length)[0] // a browser has one in reserve
}

const commands = {
  // beside: another tab whose profile it shares.
  open: async (state, { name = 'main', beside, ...asked }) => {
    state.tabs[name] = await Tab.open(state.browser, asked, state.tabs[beside])
  },
  close: (_, __, tab) => tab.page.close(),
  goto: (_, { url }, tab) => tab.page.goto(url, { timeout: 120000 }).then(() => null),
  run: (_, { js }, tab) => tab.run(js),
  click: (_, { at, count = 1 }, tab) => tab.page.click(at, { timeout: 60000, clickCount: count }),
  fill: (_, { at, text }, tab) => tab.page.fill(at, text, { timeout: 60000 }),
  press: (_, { key }, tab) => tab.page.keyboard.press(key),
  type: (_, { text }, tab) => tab.page.keyboard.type(text),
  drag: async (_, { from, to }, tab) => {
    await tab.page.mouse.move(...from)
    await tab.page.mouse.down()
    await tab.page.mouse.move(...to, { steps: 12 })
    await tab.page.mouse.up()
  },
  // One act of the mouse: move, down or up, so that a drag can last.
  mouse: async (_, { act, at }, tab) => {
    if (act === 'move') await tab.page.mouse.move(...at, { steps: 8 })
    else await tab.page.mouse[act]()
  },
  drop: async (_, { at, file, type, bytes }, tab) => {
    await tab.run(`window.dropped = (() => { const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(${JSON.stringify(bytes)}), c => c.charCodeAt(0))], ${JSON.stringify(file)}, { type: ${JSON.stringify(type)} }));
      for (const kind of ['dragenter', 'dragover', 'drop'])
        document.querySelector(${JSON.stringify(at)}).dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })) })()`)
  },
  axe: (_, { only, without }, tab) => tab.axe(only, without),
  // forced: the colours are the system's, as people choose them who need more contrast.
  scheme: (_, { value, forced = false }, tab) => tab.page.emulateMedia({ colorScheme: value, forcedColors: forced ? 'active' : 'none' }),
  size: (_, { width, height }, tab) => tab.page.setViewportSize({ width, height }),
  shot: (_, { path }, tab) => tab.page.screenshot({ path }).then(() => null),
  // What moves is at its end, and no caret blinks. The share of pixels that differ from a stored picture;
  // with `write` it is stored instead. `plain`: where it is written as it is.
  picture: async (_, { stored, write, plain }, tab) => {
    const bytes = await tab.page.screenshot({ animations: 'disabled', caret: 'hide' })
    if (write) fs.writeFileSync(stored, png.write(png.read(bytes)))
    if (plain) fs.writeFileSync(plain, bytes)
    return png.difference(png.read(fs.readFileSync(stored)), png.read(bytes))
  },
  complaints: (_, __, tab) => tab.complaints,
  origins: (_, __, tab) => [...tab.origins],
  // Of the page, and of the worker of all tabs.
  heap: async ({ browser }, _, tab) => ({
    page: await heapOf((method, asked) => tab.session.send(method, asked)),
    worker: await askWorker(browser, heapOf),
  }),
  beginTrace: ({ browser }, _, tab) => browser.startTracing(tab.page, { categories: ['-*', 'toplevel', 'devtools.timeline'] }),
  endTrace: async ({ browser }) => workOf(JSON.parse(await browser.stopTracing()).traceEvents),
  metrics: async (_, __, tab) => {
    await tab.session.send('Performance.enable', { timeDomain: 'threadTicks' })
    const { metrics } = await tab.session.send('Performance.getMetrics')
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]))
  },
}

async function main() {
  const args = process.getuid() === 0 ? [...ARGS, '--no-sandbox'] : ARGS
  const browser = await chromium.launch({ executablePath: program, args, timeout: 120000 })
  const state = { browser, tabs: {} }
  console.log(JSON.stringify({ ok: 'ready' }))
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const { do: name, tab = 'main', ...asked } = JSON.parse(line)
    try {
      const value = await commands[name](state, name === 'open' ? { name: tab, ...asked } : asked, state.tabs[tab])
      console.log(JSON.stringify({ ok: value ?? null }))
    } catch (failure) {
      console.log(JSON.stringify({ failed: String(failure.stack).slice(0, 3000) }))
    }
  }
  await browser.close()
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
