import t from 'tap'
import { chooseProfile, openDemo, withBrowser } from './helper.js'

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
  await phone.getByText('You already watch on Chrome on Linux and Chrome on Linux. Pause there to watch here.').waitFor()
  await phone.getByRole('button', { name: 'Play' }).waitFor()

  const stopped = tv.page().waitForResponse(answer => answer.request().method() === 'DELETE' && answer.url().endsWith('/playing'))
  await tv.getByRole('button', { name: 'Pause' }).click()
  await stopped
  await phone.getByRole('button', { name: 'Play' }).click()
  await phone.getByText('Position saved').waitFor()
  await phone.getByRole('button', { name: 'Pause' }).waitFor()
  t.equal(await phone.getByText('You already watch').count(), 0)
})

t.test('the demo page skips the intro, and offers the next episode at the credits', withBrowser, async t => {
  const { visit } = await openDemo(t)
  const { page } = await visit()
  await page.getByRole('button', { name: 'Sign in as Ada' }).click()
  await chooseProfile(page, 'Ada')
  const row = page.getByRole('region', { name: 'Continue watching', exact: true })
  await row.locator('.card').filter({ hasText: /S\d/ }).first().getByRole('button').first().click()
  const player = page.getByRole('group', { name: 'Player' })
  const position = player.getByRole('slider')
  await position.fill('12')
  await player.getByRole('button', { name: /^Skip / }).click()
  t.ok(Number(await position.inputValue()) > 12)
  await position.fill((await position.getAttribute('max')) as string)
  await player.getByRole('button', { name: /^Next: / }).click()
  t.equal(await position.inputValue(), '0')
})
