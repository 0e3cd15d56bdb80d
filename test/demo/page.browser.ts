import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../scripts/root.js'
import { chooseProfile, faultsOf, looks, openDemo, phone, television, withBrowser } from './helper.js'

t.test('the demo page in a browser', withBrowser, async t => {
  const { address, visit } = await openDemo(t)

  for (const { what, options } of looks)
    t.test(`${what}: axe finds nothing, and the browser has nothing to say`, async t => {
      const { page, messages } = await visit(options)
      await page.locator('#schedule .channel h3').first().waitFor()
      t.strictSame(await faultsOf(page), [])
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the screen')
      t.strictSame(messages, [])
    })

  t.test('arrow keys walk through the rows, as on a television', async t => {
    const { page } = await visit(television)
    await page.locator('#personal .card:not(.skeleton)').first().waitFor()
    const focused = () => page.evaluate('document.activeElement.closest(".card")?.dataset.id')
    const idsOf = (name: string) =>
      page
        .getByRole('region', { name, exact: true })
        .locator('.card')
        .evaluateAll(cards => cards.map(card => card.getAttribute('data-id')))
    const popular = await idsOf('Most watched')
    await page.locator(`#personal [data-id="${popular[0]}"] .open`).focus()
    for (const [key, at] of [
      ['ArrowRight', 1],
      ['ArrowRight', 2],
      ['ArrowLeft', 1]
    ] as const) {
      await page.keyboard.press(key)
      t.equal(await focused(), popular[at])
    }
    await page.keyboard.press('ArrowDown')
    t.equal(await focused(), (await idsOf('New'))[1], 'the focus moves to the card below')
    await page.keyboard.press('ArrowUp')
    t.equal(await focused(), popular[1])
    await page.keyboard.press('ArrowUp')
    t.equal(await page.evaluate('document.activeElement.closest("#hero") !== null'), true)
    await page.locator('#words').focus()
    await page.keyboard.press('ArrowDown')
    t.equal(await page.evaluate('document.activeElement.id'), 'words', 'arrow keys still work in text fields')
  })

  for (const colorScheme of ['light', 'dark'] as const)
    t.test(`results come while somebody types, ${colorScheme}`, async t => {
      const { page, messages } = await visit({ ...phone, colorScheme })
      const heading = page.locator('#found')
      const marks = () => page.locator('#results mark').allTextContents()
      const typed = async (text: string, wanted: RegExp) => {
        await page.locator('#words').fill('')
        await page.locator('#words').pressSequentially(text)
        await heading.filter({ hasText: wanted }).waitFor()
      }
      await typed('Midn', /titles? for “Midn”/)
      t.equal((await marks())[0], 'Midn')
      await typed('midnihgt marathon', /No exact match for “midnihgt marathon”, these are close/)
      t.strictSame((await marks()).slice(0, 2), ['Midnight', 'Marathon'])
      t.strictSame(await faultsOf(page), [])
      await page.locator('#results .picture img').first().waitFor()
      await typed('climbing', /titles for “climbing”/)
      t.equal((await marks())[0], 'Climbing')
      await typed('xyzzy', /No titles for “xyzzy”/)
      await page.locator('#words').fill('')
      await page.locator('#hero h1').waitFor()
      t.strictSame(messages, [])
    })

  t.test('what is proposed is reported once as seen, if it was on the screen', async t => {
    const { page, messages } = await visit(television)
    const reported: number[] = []
    page.on('request', request => {
      if (request.url().endsWith('/recommendations/seen')) reported.push(...request.postDataJSON().content_ids)
    })
    const rows = page.getByRole('region', { name: /^(Recommended for|Because you) / })
    const onScreen = () =>
      rows.locator('.card:not(.skeleton)').evaluateAll(
        (cards, { width, height }) =>
          cards.flatMap(card => {
            const all = card.getBoundingClientRect()
            const across = Math.min(all.right, width) - Math.max(all.left, 0)
            const down = Math.min(all.bottom, height) - Math.max(all.top, 0)
            const isHalf = across > 0 && down > 0 && across * down >= 0.5 * all.width * all.height
            return isHalf ? [Number(card.getAttribute('data-id'))] : []
          }),
        television.viewport
      )
    const longEnough = () => page.waitForTimeout(8000)

    await page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await page.locator('#who .profile').first().waitFor()
    await rows.last().scrollIntoViewIfNeeded()
    await longEnough()
    t.ok((await onScreen()).length > 6)
    t.strictSame(reported, [], 'a dialog covers them')
    await chooseProfile(page, 'Ada')
    await longEnough()
    const seen = new Set(await onScreen())
    t.strictSame(new Set(reported), seen)

    await rows
      .first()
      .getByRole('button', { name: /^Watchlist: / })
      .first()
      .click()
    await page.getByRole('region', { name: 'Your watchlist' }).locator('.card').first().waitFor()
    await longEnough()
    t.equal(reported.length, seen.size, 'cards that are drawn again are not reported again')
    t.strictSame(messages, [])
  })

  t.test('the start page in the README of the client shows the rows', async t => {
    const readme = await readFile(join(root, 'client/README.md'), 'utf8')
    const [, html = ''] = /## A start page.*?```html\n(.*?)```/s.exec(readme) ?? []
    t.ok(html.trim().split('\n').length <= 50)
    const { page, messages } = await visit()
    await page.route('**/start', route =>
      route.fulfill({ contentType: 'text/html', body: html.replace('https://viewer.example.com', address) })
    )
    await page.route('**/viewer-client/*', async route => {
      const file = new URL(route.request().url()).pathname.split('/').at(-1)
      await route.fulfill({ response: await route.fetch({ url: `${address}/client/${file}` }) })
    })
    await page.goto(`${address}/start`)
    await page.locator('#rows h2').first().waitFor()
    t.strictSame((await page.locator('#rows h2').allTextContents()).slice(0, 2), ['Popular', 'New'])
    t.equal(await page.locator('#rows section').first().locator('a').count(), 10)
    t.strictSame(
      messages.filter(message => !message.includes('favicon')),
      []
    )
  })
})
