import type { Page } from 'playwright-core'
import t from 'tap'
import { chooseProfile, faultsOf, looks, openDemo, phone, television, withBrowser } from './helper.js'

const thisYear = new Date().getFullYear()

t.test('the year of a viewer on the demo page', withBrowser, async t => {
  const { address, visit } = await openDemo(t)
  const signIn = async (options: Parameters<typeof visit>[0] = {}) => {
    const visitor = await visit(options)
    await visitor.page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await chooseProfile(visitor.page, 'Ada')
    await visitor.page.locator('#history .watched').first().waitFor()
    return visitor
  }
  const heading = (page: Page, text: string) => page.locator('#found', { hasText: text }).waitFor()
  const shown = async (page: Page, year: number) => {
    await heading(page, `Your year ${year}`)
    await page.locator('.months').waitFor()
  }
  const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

  for (const { what, options } of looks)
    t.test(`${what}: the history leads to this year, and to the last one`, async t => {
      const { page, messages } = await signIn(options)
      await page.getByRole('link', { name: 'Your year' }).click()
      await shown(page, thisYear)
      t.equal(page.url(), `${address}/#year-${thisYear}`)
      t.equal(await page.evaluate('document.activeElement.id'), 'found')
      t.equal(await page.getByRole('link', { name: String(thisYear + 1) }).count(), 0)
      t.strictSame(await faultsOf(page), [])

      await page.getByRole('link', { name: String(thisYear - 1) }).click()
      await shown(page, thisYear - 1)
      const plays = await page.locator('.months tbody td:last-child').allTextContents()
      t.equal(plays.length, 12)
      const sum = plays.reduce((sum, text) => sum + Number(text), 0)
      t.equal(await page.locator('.facts dd').first().textContent(), `${sum} times`)
      t.match(await page.locator('.facts').textContent(), /Length of what you finished\d+ h \d+ min/)
      t.strictSame(await faultsOf(page), [])
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the screen')

      await page.locator('#results .card .open').first().click()
      await page.locator('#sheet-title').waitFor()
      await page.locator('#sheet').getByRole('button', { name: 'Close' }).click()
      await page.goBack()
      await shown(page, thisYear)
      t.strictSame(messages, [])
    })

  t.test('arrow keys walk from the years to the titles', async t => {
    const { page } = await signIn(television)
    await page.goto(`${address}/#year-${thisYear - 1}`)
    await shown(page, thisYear - 1)
    await page.keyboard.press('ArrowDown')
    t.equal(await focused(page), String(thisYear - 2))
    await page.keyboard.press('ArrowRight')
    t.equal(await focused(page), String(thisYear))
    await page.keyboard.press('ArrowDown')
    t.ok(await page.evaluate('document.activeElement.matches("#results .open")'))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#year-/)
  })

  t.test('the months begin where the viewer is', async t => {
    const { page } = await visit({ timezoneId: 'Pacific/Auckland' })
    await page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await chooseProfile(page, 'Ada')
    const asked = page.waitForRequest(/\/me\/years\//)
    await page.goto(`${address}/#year-${thisYear}`)
    t.equal(new URL((await asked).url()).searchParams.get('timezone'), 'Pacific/Auckland')
  })

  t.test('a year without plays says so, and other addresses have none', async t => {
    const { page } = await signIn(phone)
    await page.goto(`${address}/#year-1970`)
    await page.getByText('You watched nothing to the end in 1970.').waitFor()
    t.strictSame(await page.locator('#results nav a').allTextContents(), ['1971'])
    t.strictSame(await faultsOf(page), [])
    await page.goto(`${address}/#year-1969`)
    await heading(page, 'There is no such year')
    await page.locator('#words').fill('climbing')
    await heading(page, 'titles for “climbing”')
    t.equal(page.url(), `${address}/`)
  })

  t.test('offline, it says so and tries again', async t => {
    const { page } = await signIn()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Your year' }).click()
    await page.getByRole('alert').filter({ hasText: 'You are offline' }).waitFor()
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).click()
    await shown(page, thisYear)
    t.equal(await page.getByRole('alert').filter({ hasText: 'You are offline' }).count(), 0)
  })

  t.test('whoever is not signed in is asked to sign in', async t => {
    const { page } = await visit()
    await page.goto(`${address}/#year-${thisYear}`)
    await page.locator('#results').getByRole('button', { name: 'Sign in' }).click()
    await page
      .locator('#sign-in')
      .getByRole('button', { name: /^As Ada/ })
      .click()
    await chooseProfile(page, 'Ada')
    await shown(page, thisYear)
    t.equal(page.url(), `${address}/#year-${thisYear}`)
  })
})

t.test('the rows of the demo page', withBrowser, async t => {
  const { visit } = await openDemo(t)
  const hide = (page: Page) => page.getByRole('switch', { name: 'Hide what I have watched' })

  for (const { what, options } of looks)
    t.test(`${what}: hide what was watched, if the viewer says so`, async t => {
      const { page, messages } = await visit(options)
      t.equal(await hide(page).count(), 0, 'somebody has to be signed in')
      await page.getByRole('button', { name: 'Sign in as Ada' }).click()
      await chooseProfile(page, 'Ada')
      const row = page.getByRole('region', { name: 'Continue watching', exact: true })
      await row.locator('.card:not(.skeleton) .open').first().focus()
      await page.keyboard.press('ArrowUp')
      t.ok(await hide(page).evaluate(element => element.matches(':focus')), 'arrow keys reach it')
      t.equal(await hide(page).getAttribute('aria-checked'), 'false')
      const home = () => page.waitForResponse(/\/home\?/)
      const [answer] = await Promise.all([home(), page.keyboard.press('Enter')])
      t.match(answer.url(), 'watched=false')
      await page.locator('#said', { hasText: 'What you have watched is hidden.' }).waitFor({ state: 'attached' })
      t.equal(await hide(page).getAttribute('aria-checked'), 'true')
      t.ok(await hide(page).evaluate(element => element.matches(':focus')))
      t.strictSame(await faultsOf(page), [])

      const [again] = await Promise.all([home(), page.reload()])
      t.match(again.url(), 'watched=false', 'the device remembers it')
      const [shown] = await Promise.all([home(), hide(page).click()])
      t.notMatch(shown.url(), 'watched')
      await page.locator('#said', { hasText: 'shown again' }).waitFor({ state: 'attached' })
      t.equal(await hide(page).getAttribute('aria-checked'), 'false')
      t.strictSame(messages, [])
    })

  t.test('each profile chooses for itself what is hidden, and stays with it offline', async t => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await chooseProfile(page, 'Ada')
    await hide(page).click()
    await page.locator('[role=switch][aria-checked=true]').waitFor()
    await page.context().setOffline(true)
    await hide(page).click()
    await page.locator('#said', { hasText: 'You are offline' }).waitFor({ state: 'attached' })
    t.equal(await hide(page).getAttribute('aria-checked'), 'true')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Switch the profile' }).click()
    await chooseProfile(page, 'Mia')
    await page.locator('[data-looks=children] [role=switch][aria-checked=false]').waitFor()
  })

  t.test('name new episodes, and count what is watched most', async t => {
    const { page } = await visit(television)
    const ranks = (name: string) => page.getByRole('region', { name, exact: true }).locator('ol .rank').allTextContents()
    const popular = page.getByRole('region', { name: 'Most watched', exact: true })
    await popular.getByRole('button', { name: /^1 \w/ }).waitFor()
    t.strictSame((await ranks('Most watched')).slice(0, 3), ['1 ', '2 ', '3 '])
    t.strictSame(await faultsOf(page), [])
    await page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await chooseProfile(page, 'Ada')
    const row = page.getByRole('region', { name: 'Continue watching', exact: true })
    const card = row.locator('.card', { hasText: 'New episode' })
    await card.waitFor()
    t.match(await card.textContent(), /From Floor to Lead.*Next episode/)
  })
})
