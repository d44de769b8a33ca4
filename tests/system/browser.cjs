// A page in a headless Chromium that does as it is told: each line on the standard input is an
// expression of JavaScript, each line on the standard output is its value in the page as JSON.
// Arguments: the folder of playwright-core, the browser's program, the page's address.
'use strict'
const readline = require('readline')
const [folder, program, address] = process.argv.slice(2)
const { chromium } = require(folder)

async function main() {
  const args = process.getuid() === 0 ? ['--no-sandbox'] : []
  const browser = await chromium.launch({ executablePath: program, args })
  const page = await browser.newPage()
  page.on('pageerror', error => console.error(String(error)))
  await page.goto(address)
  console.log(JSON.stringify('ready'))
  for await (const line of readline.createInterface({ input: process.stdin }))
    console.log(JSON.stringify((await page.evaluate(line)) ?? null))
  await browser.close()
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
