import type { Page } from 'playwright-core'
import t from 'tap'
import { faultsOf, looks, openDemo, television, withBrowser } from './helper.js'

const openTitle = async (page: Page, name: string) => {
  await page.locator('#words').fill(name)
  await page.locator('#results .card:not(.skeleton) .open').first().click()
  await page.locator('#people-title').waitFor()
}
const titles = (page: Page) => page.locator('#results .posters .card:not(.skeleton)')

t.test('the people of a title on the demo page', withBrowser, async t => {
  const { address, visit } = await openDemo(t)

  for (const { what, options } of looks)
    t.test(`${what}: a name leads to the titles of that person`, async t => {
      const { page, messages } = await visit(options)
      await openTitle(page, 'A Harbour for Winter')
      const cast = page.locator('#sheet .cast')
      t.strictSame(await cast.locator('.headline').allTextContents(), ['Signe Brøgger-Holt', 'Aatos Vierimaa', 'Maren Oksvik'])
      t.strictSame(await cast.locator('.note').allTextContents(), ['Berit', 'Skipper Knut', 'The shopkeeper'])
      t.equal((await page.locator('#sheet .crew dt').allTextContents())[0], 'Director')
      t.strictSame(await faultsOf(page), [])

      await cast.getByRole('link', { name: 'Maren Oksvik' }).click()
      await titles(page).first().waitFor()
      t.equal(page.url(), `${address}/#person-1`)
      t.equal(await page.locator('#sheet').isVisible(), false)
      t.match(await page.locator('#found').textContent(), 'Maren Oksvik')
      t.equal(await page.evaluate('document.activeElement.id'), 'found')
      t.equal(await page.locator('#results [data-id="1405"] .note').textContent(), 'Film · 2023')
      t.strictSame(await faultsOf(page), [])
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the screen')

      await page.goBack()
      await page.locator('#found', { hasText: 'A Harbour for Winter' }).waitFor()
      t.strictSame(messages, [])
    })

  t.test('arrow keys walk from name to name, and from poster to poster', async t => {
    const { page } = await visit(television)
    await openTitle(page, 'A Harbour for Winter')
    const focused = () => page.evaluate<string>('document.activeElement.textContent')
    await page.locator('#sheet .credit').first().focus()
    for (const [key, name] of [
      ['ArrowRight', 'Aatos Vierimaa'],
      ['ArrowLeft', 'Signe Brøgger-Holt'],
      ['ArrowDown', 'Maren Oksvik']
    ] as const) {
      await page.keyboard.press(key)
      t.match(await focused(), name)
    }
    await page.keyboard.press('Enter')
    await titles(page).first().waitFor()
    for (const key of ['ArrowDown', 'ArrowRight']) await page.keyboard.press(key)
    const ids = await titles(page).evaluateAll(cards => cards.map(card => card.getAttribute('data-id')))
    t.equal(await page.evaluate('document.activeElement.closest(".card").dataset.id'), ids[1])
  })

  t.test('the address of a person opens their titles, until something is searched for', async t => {
    const { page } = await visit()
    await page.goto(`${address}/#person-1`)
    await titles(page).first().waitFor()
    await page.reload()
    await titles(page).first().waitFor()
    await page.locator('#words').fill('climbing')
    await page.locator('#found', { hasText: 'titles for “climbing”' }).waitFor()
    t.equal(page.url(), `${address}/`)
    await page.goto(`${address}/#person-999999`)
    await page.locator('#found', { hasText: 'There is no such person' }).waitFor()
  })

  t.test('an episode with a guest stands under the name of its season', async t => {
    const { page } = await visit()
    await page.goto(`${address}/#person-8`)
    const card = page.locator('#results [data-id="1559"]')
    t.equal(await card.locator('.headline').textContent(), 'Night Shift at Pier Nine: Season 1')
    t.equal(await card.locator('.note').textContent(), 'S1 E3 · 2024')
  })
})
