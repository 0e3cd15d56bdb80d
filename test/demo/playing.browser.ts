import t from 'tap'
import { chooseProfile, faultsOf, openDemo, phone, withBrowser } from './helper.js'

t.test('the demo page plays on two devices of an account, and says which', withBrowser, async t => {
  const { visit } = await openDemo(t)
  /** A device of Ada that has a title open. */
  const open = async () => {
    const { page } = await visit()
    await page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await chooseProfile(page, 'Ada')
    const row = page.getByRole('region', { name: 'Continue watching', exact: true })
    await row.locator('.card').first().getByRole('button').first().click()
    return page.getByRole('group', { name: 'Player' })
  }
  const [tv, tablet, phone] = [await open(), await open(), await open()]
  for (const device of [tv, tablet]) {
    await device.getByRole('button', { name: 'Play' }).click()
    await device.getByText('Position saved').waitFor()
  }
  await phone.getByRole('button', { name: 'Play' }).click()
  await phone.getByText('You are already watching on Chrome on Linux and Chrome on Linux. Pause there to watch here.').waitFor()
  await phone.getByRole('button', { name: 'Play' }).waitFor()

  const stopped = tv.page().waitForResponse(answer => answer.request().method() === 'DELETE' && answer.url().endsWith('/playing'))
  await tv.getByRole('button', { name: 'Pause' }).click()
  await stopped
  await phone.getByRole('button', { name: 'Play' }).click()
  await phone.getByText('Position saved').waitFor()
  await phone.getByRole('button', { name: 'Pause' }).waitFor()
  t.equal(await phone.getByText('You are already watching').count(), 0)
})

t.test('the demo page skips the intro, and offers the next episode at the credits, which a second window learns', withBrowser, async t => {
  const { visit } = await openDemo(t)
  const [{ page }, { page: second }] = [await visit(), await visit()]
  for (const each of [page, second]) {
    await each.getByRole('button', { name: 'Sign in as Ada' }).click()
    await chooseProfile(each, 'Ada')
  }
  const row = page.getByRole('region', { name: 'Continue watching', exact: true })
  const card = row
    .locator('.card')
    .filter({ hasText: /S\d E\d+ · Resume/ })
    .first()
  const id = await card.getAttribute('data-id')
  await second.locator('#history .watched').first().waitFor()
  await card.getByRole('button').first().click()
  const player = page.getByRole('group', { name: 'Player' })
  const position = player.getByRole('slider')
  await position.fill('12')
  await player.getByRole('button', { name: /^Skip / }).click()
  t.ok(Number(await position.inputValue()) > 12)
  await position.fill((await position.getAttribute('max')) as string)
  await player.getByRole('button', { name: /^Next: / }).click()
  t.equal(await position.inputValue(), '0')
  await second.locator(`#history [data-id="${id}"]`, { hasText: 'Watched' }).waitFor()
})

t.test('the demo page remembers languages by show and for all titles, offline too', withBrowser, async t => {
  const { visit } = await openDemo(t)
  const { page } = await visit({ ...phone, colorScheme: 'light' })
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  await chooseProfile(page, 'Ada')
  const player = page.getByRole('group', { name: 'Player' })
  const cards = page.getByRole('region', { name: 'Continue watching', exact: true }).locator('.card')
  const close = () => page.locator('#sheet').getByRole('button', { name: 'Close' }).click()
  /** Opens a card, and the languages of its player once they are what is wanted. */
  const openCard = async (at: number, wanted: string) => {
    await cards.nth(at).getByRole('button').first().click()
    await player.getByRole('button', { name: `Languages: ${wanted}`, exact: true }).click()
  }
  const choose = (group: string, name: string) =>
    player.getByRole('group', { name: group }).getByRole('button', { name, exact: true }).click()

  await openCard(0, 'English, no subtitles')
  await choose('Audio', 'Deutsch')
  await player.getByText('Remembered for this show', { exact: true }).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    t.strictSame(await faultsOf(page), [], colorScheme)
  }
  await close()
  await openCard(1, 'English, no subtitles')
  await page.reload()
  await openCard(0, 'Deutsch, no subtitles')

  await page.context().setOffline(true)
  await choose('Subtitles', 'Svenska')
  await player.getByText('Remembered for this show on this device').waitFor()
  await player.getByRole('button', { name: 'Use for all titles' }).click()
  const sent = page.waitForResponse(answer => answer.request().method() === 'PUT' && answer.url().endsWith('/preferences'))
  await page.context().setOffline(false)
  t.equal((await sent).status(), 200)
  await close()
  await openCard(1, 'Deutsch, subtitles Svenska')
})
