import type { Page } from 'playwright-core'
import t from 'tap'
import { openDemo, phone, television, withBrowser } from './helper.js'

/** Searches for a title, and opens the first that is found. */
const openTitle = async (page: Page, name: string) => {
  await page.locator('#words').fill(name)
  await page.locator('#results .card:not(.skeleton) .open').first().click()
  await page.locator('#sheet-title', { hasText: name }).waitFor()
}

t.test('the page of a title', withBrowser, async t => {
  const { visit } = await openDemo(t)

  t.test('it has the year, and the rating in the country of the viewer', async t => {
    for (const [locale, rating] of [
      ['en-GB', 'PG'],
      ['de', 'FSK 6'],
      ['sv-SE', '7'],
      ['fr-FR', 'PG']
    ] as const) {
      const { page } = await visit({ locale })
      await page.locator('#words').fill('A Harbour for Winter')
      await page.locator('#results .card:not(.skeleton) .open').first().click()
      const facts = await page.locator('#sheet .eyebrow').textContent()
      t.match(facts, new RegExp(`^Film · 2023 · 1 h 56 min · .*${rating}$`), locale)
    }
  })

  t.test('it is wide, and cards are upright where the screen is narrow', async t => {
    for (const [options, kind] of [
      [phone, 'posters'],
      [television, 'thumbnails']
    ] as const) {
      const { page, messages } = await visit(options)
      await openTitle(page, 'The Lido')
      t.match(await page.locator('#sheet .art img').getAttribute('src'), '/demo/backdrops/1001.svg')
      const picture = page.locator('#results [data-id="1001"] .picture')
      await picture.locator('img').evaluate(image => (image as unknown as { decode: () => Promise<void> }).decode())
      t.match(
        await picture.locator('img').evaluate(image => (image as unknown as { currentSrc: string }).currentSrc),
        `/demo/${kind}/1001.svg`
      )
      const { width = 0, height = 0 } = (await picture.boundingBox()) ?? {}
      t.equal(Math.round((width / height) * 100), kind === 'posters' ? 67 : 178)
      t.strictSame(messages, [])
    }
  })

  t.test('arrow keys walk through the rows of what was found', async t => {
    const { page } = await visit(television)
    await page.locator('#words').fill('winter')
    await page.locator('#results .card:not(.skeleton)').nth(8).waitFor()
    const ids = await page.locator('#results .card').evaluateAll(cards => cards.map(card => card.getAttribute('data-id')))
    const focused = () => page.evaluate('document.activeElement.closest(".card")?.dataset.id')
    await page.locator('#results .open').first().focus()
    await page.keyboard.press('ArrowRight')
    t.equal(await focused(), ids[1])
    await page.keyboard.press('ArrowDown')
    const below = ids.indexOf(String(await focused()))
    t.ok(below > 3, 'the focus moves to the card below')
    await page.keyboard.press('ArrowUp')
    t.equal(await focused(), ids[1])
  })
})
