import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { serveDemo } from '../../demo/service.js'
import { databaseUrl } from '../helpers/database.js'

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
const chromiumPath = () => {
  const { CHROMIUM, PATH = '' } = process.env
  const paths = CHROMIUM ? [CHROMIUM] : PATH.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return paths.find(isProgram)
}

const startChromium = (executablePath: string) =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] })

const path = chromiumPath()

/** The options of a test that needs a browser. */
export const withBrowser = path ? {} : { skip: 'there is no Chromium: install it, or set CHROMIUM to its path' }

export const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true }
export const television = { viewport: { width: 1920, height: 1080 } }

/** Each screen in each color scheme. */
export const looks = [
  { screen: 'a phone', options: phone },
  { screen: 'a television', options: television }
].flatMap(({ screen, options }) =>
  (['light', 'dark'] as const).map(colorScheme => ({ what: `${screen}, ${colorScheme}`, options: { ...options, colorScheme } }))
)

/** The demo page in a browser that is closed after the test. */
export const openDemo = async (t: Test) => {
  const url = await databaseUrl(t)
  const [{ app, address }, browser] = await Promise.all([serveDemo(url, { RATE_LIMIT_ADDRESS: '0' }), startChromium(path as string)])
  t.teardown(async () => {
    await browser.close()
    await app.close()
  })

  /** A visitor of the page, with what the browser said of it. */
  const visit = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options })
    const page = await context.newPage()
    const messages: string[] = []
    page.on('console', message => messages.push(`${message.type()} ${message.text()}`))
    page.on('pageerror', error => messages.push(`error ${error.message}`))
    await page.goto(`${address}/`)
    await page.locator('#hero h1').waitFor()
    return { page, messages }
  }
  return { address, visit }
}

/** Says who watches. */
export const chooseProfile = (page: Page, name: string) => page.locator('#who').getByRole('button', { name }).click()

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong, and where. */
export const faultsOf = async (page: Page): Promise<string[]> => {
  // Through the protocol of the browser, since the policy of the page allows no foreign script.
  await page.evaluate(axe)
  const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { target: string[] }[] }[] }
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}
