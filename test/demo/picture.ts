import t from 'tap'
import { until } from '../helpers/until.js'
import { chooseProfile, openDemo, withBrowser } from './helper.js'

// `npm run picture` takes the picture of the README.
t.test('the demo page, as Ada sees it', async t => {
  if ('skip' in withBrowser) return t.fail(withBrowser.skip)
  const { visit } = await openDemo(t)
  const { page } = await visit({ viewport: { width: 1280, height: 1180 }, colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  await chooseProfile(page, 'Ada')
  // Otherwise the mouse may hover over a card, which changes its look.
  await page.mouse.move(0, 0)
  await page.getByRole('region', { name: 'Continue watching' }).locator('.card:not(.skeleton)').first().waitFor()
  // The greeting covers a part of the page.
  await page.locator('#notice').waitFor({ state: 'hidden', timeout: 15_000 })
  await until(() => page.evaluate<boolean>('[...document.images].every(({ complete }) => complete)'))
  await page.screenshot({ path: 'docs/page.png' })
})
