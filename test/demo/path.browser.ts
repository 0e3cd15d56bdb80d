import type { Locator } from 'playwright-core'
import t from 'tap'
import { chooseProfile, faultsOf, openDemo, television, withBrowser } from './helper.js'

t.test('on the demo page, a viewer signs in, resumes, likes, hides and signs out', withBrowser, async t => {
  const { visit } = await openDemo(t)
  const { page, messages } = await visit(television)
  t.strictSame(await page.locator('#personal h2').allTextContents(), ['Most watched', 'New'])
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  await chooseProfile(page, 'Ada')
  const row = (name: string) => page.getByRole('region', { name, exact: true })
  const card = row('Continue watching').locator('.card', { hasText: 'Resume at' }).first()
  await card.waitFor()
  const headings = await page.locator('#personal h2').allTextContents()
  t.match(headings, ['Continue watching', 'Recommended for Ada', /^Because you watched /, /^Because you watched /])

  await card.getByRole('button').first().click()
  const sheet = page.locator('#sheet')
  const slider = sheet.getByRole('slider')
  await slider.waitFor()
  const before = await slider.inputValue()
  t.ok(Number(before) > 0, 'playback resumes at the last position')
  await sheet.locator('#similar-title').waitFor()
  t.ok((await sheet.locator('.similar .child').count()) > 1)
  t.strictSame(await faultsOf(page), [])

  const like = sheet.getByRole('button', { name: /^I like this: / })
  const dislike = sheet.getByRole('button', { name: /^Not for me: / })
  const focused = () => page.evaluate('document.activeElement.className')
  await sheet.getByRole('button', { name: /^Watchlist: / }).focus()
  await page.keyboard.press('ArrowRight')
  t.equal(await focused(), 'like')
  await page.keyboard.press('ArrowRight')
  t.equal(await focused(), 'dislike')
  for (const [place, what] of [
    ['quiet', 'genres'],
    ['position', 'player']
  ] as const) {
    await page.keyboard.press('ArrowDown')
    t.equal(await focused(), place, `the arrow keys of a remote control go on to the ${what}`)
  }
  const isPressed = async (button: Locator) => (await button.getAttribute('aria-pressed')) === 'true'
  await dislike.click()
  await page.locator('#said', { hasText: 'will not be recommended' }).waitFor({ state: 'attached' })
  await like.focus()
  await page.keyboard.press('Enter')
  await page.locator('#said', { hasText: 'You like ' }).waitFor({ state: 'attached' })
  t.strictSame([await isPressed(like), await isPressed(dislike)], [true, false], 'a title has one rating')
  t.strictSame(await faultsOf(page), [])
  await sheet.getByRole('button', { name: 'Close' }).click()

  await page.locator('#hero .primary').focus()
  for (let n = 0; n < 4; n++) await page.keyboard.press('ArrowRight')
  t.equal(await focused(), 'dislike', 'and reach the thumbs of the title that is shown large')

  const shownIds = (name: string) =>
    row(name)
      .locator('.card:not(.skeleton)')
      .evaluateAll(cards => cards.map(card => card.getAttribute('data-id')))
  await row('Most watched of the rest').scrollIntoViewIfNeeded()
  const disliked = row('Most watched of the rest').locator('.card:not(.skeleton)').first()
  const dislikedId = await disliked.getAttribute('data-id')
  await disliked.getByRole('button', { name: /^Not for me: / }).click()
  await disliked.locator('.dislike[aria-pressed=true]').waitFor()

  const proposed = row('Recommended for Ada').locator('.card').first()
  await proposed.getByRole('button', { name: /^Not interested: / }).click()
  // The dislike may have moved another title to the first place.
  const id = await page.locator('#hidden .watched').getAttribute('data-id')
  await page.reload()
  await row('Recommended for Ada').locator('.card:not(.skeleton)').first().waitFor()
  t.notOk((await shownIds('Recommended for Ada')).includes(id), 'the title stays hidden')
  await row('Most watched of the rest').scrollIntoViewIfNeeded()
  await row('Most watched of the rest').locator('.card:not(.skeleton)').first().waitFor()
  t.notOk((await shownIds('Most watched of the rest')).includes(dislikedId), 'nor is what the viewer dislikes proposed')
  await card.getByRole('button').first().click()
  await like.waitFor()
  t.ok(await isPressed(like), 'the like of the show is known to its episode')
  await sheet.getByRole('button', { name: 'Close' }).click()

  await page.getByRole('button', { name: 'Ada: your account' }).click()
  await page.locator('#sign-out').click()
  await page.getByRole('button', { name: 'Sign in as Ada' }).waitFor()
  t.strictSame(await page.locator('#personal h2').allTextContents(), ['Most watched', 'New'])
  t.strictSame(messages, [])
})
