import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'
import { orFail } from './command-line.js'
import { serveDemo } from './dev/demo-service.js'
import { startMongod } from './mongod/start.js'

const names = ['chromium', 'chromium-browser', 'google-chrome']

const isProgram = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The path of the Chromium that is installed, or that CHROMIUM names. Undefined if there is none. */
export const chromiumPath = () => {
  const { CHROMIUM, PATH = '' } = process.env
  const paths = CHROMIUM ? [CHROMIUM] : PATH.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return paths.find(isProgram)
}

export const startChromium = (executablePath: string) =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] })

const [file = 'docs/page.png'] = process.argv.slice(2)

/** In pixels. */
const viewport = { width: 1280, height: 1180 }

/** Takes the picture of the demo page in the README, as Ada sees it. */
const takePicture = async () => {
  const path = chromiumPath()
  if (!path) throw new Error('The picture is taken with Chromium: install it, or set CHROMIUM to its path')
  const mongod = await startMongod({ say: console.log })
  const { app, address } = await serveDemo(`${mongod.url}/picture`)
  const browser = await startChromium(path)
  const page = await browser.newPage({ viewport, colorScheme: 'dark', locale: 'en-GB', reducedMotion: 'reduce' })
  await page.goto(`${address}/`)
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  await page.locator('#who').getByRole('button', { name: 'Ada' }).click()
  // Otherwise the mouse may hover over a card, which changes its look.
  await page.mouse.move(0, 0)
  await page.getByRole('region', { name: 'Continue watching' }).locator('.card:not(.skeleton)').first().waitFor()
  // The greeting covers a part of the page.
  await page.locator('#notice').waitFor({ state: 'hidden', timeout: 15_000 })
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: file })
  await browser.close()
  await app.close()
  await mongod.stop()
  console.log(`The picture is in ${file}`)
}

if (process.argv[1] === import.meta.filename) await orFail(takePicture)
