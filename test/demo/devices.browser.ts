import type { Page } from 'playwright-core'
import t from 'tap'
import { demoPassword } from '../../demo/users.js'
import { until } from '../helpers/until.js'
import { chooseProfile, faultsOf, openDemo, phone, television, withBrowser } from './helper.js'

/** The browser reports every answer that is an error, whatever the page makes of it. */
const isAnswer = (message: string) => /^error Failed to load resource: the server responded with a status of 40\d/.test(message)

t.test('devices without a keyboard, on the demo page', withBrowser, async t => {
  const { address, visit } = await openDemo(t)
  const [tv, owner] = [await visit({ ...television, colorScheme: 'dark' }), await visit(phone)]
  const account = (page: Page) => page.locator('#settings')
  const openAccount = async (page: Page) => {
    await page.getByRole('button', { name: 'Ada: your account' }).click()
    await account(page).locator('#devices .note').first().waitFor()
  }
  const showCode = async () => {
    await tv.page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
    await tv.page.getByRole('button', { name: 'Sign in with a code' }).click()
    await tv.page.locator('.qr-code').waitFor()
    return String(await tv.page.locator('#television .code').textContent())
  }
  const announced = (page: Page, text: string) => page.locator('#said', { hasText: text }).waitFor({ state: 'attached' })

  t.test('a television shows a code, which its owner refuses', async t => {
    const code = await showCode()
    t.strictSame(await faultsOf(tv.page), [])
    await owner.page.goto(`${address}/?user_code=${code}#device`)
    await owner.page
      .locator('#sign-in')
      .getByRole('button', { name: /^As Ada/ })
      .click()
    await chooseProfile(owner.page, 'Ada')
    await owner.page.getByText('Television of the demo').waitFor()
    t.strictSame(await faultsOf(owner.page), [])
    await owner.page.getByRole('button', { name: 'Refuse' }).click()
    await announced(owner.page, 'was refused')
    t.equal(owner.page.url(), `${address}/`)
    await tv.page.getByText('The sign-in was denied').waitFor()
    await tv.page.getByRole('button', { name: 'Cancel' }).click()
  })

  t.test('and another one, which is allowed after a wrong one was typed', async t => {
    const code = await showCode()
    await openAccount(owner.page)
    await owner.page.getByRole('button', { name: 'Sign in a device' }).click()
    await owner.page.getByLabel('Code').fill('BBBB-BBBB')
    await owner.page.keyboard.press('Enter')
    await owner.page.getByText('No device is waiting with this code').waitFor()
    await owner.page.getByLabel('Code').fill(code.toLowerCase())
    await owner.page.keyboard.press('Enter')
    await owner.page.getByRole('button', { name: 'Allow it as Ada' }).waitFor()
    await owner.page.keyboard.press('Enter')
    await chooseProfile(tv.page, 'Ada')
    await tv.page.getByRole('button', { name: 'Ada: your account' }).waitFor()
    t.equal(await tv.page.locator('#television').isVisible(), false)
  })

  t.test('where the user is signed in is listed, and ends from there', async t => {
    await openAccount(tv.page)
    t.strictSame(await faultsOf(tv.page), [])
    const devices = account(tv.page).locator('#devices .headline')
    t.strictSame(await devices.allTextContents(), ['Television of the demo', 'Chrome on Linux'])
    await tv.page.getByRole('button', { name: 'Sign out Chrome on Linux' }).click()
    await announced(tv.page, 'Chrome on Linux is signed out')
    await until(async () => (await devices.count()) === 1)
    await owner.page.getByText('Your session has ended').waitFor()
  })

  t.test('and the password is changed, if it is known', async t => {
    const form = account(tv.page).locator('#change-password')
    await form.getByLabel('Current password').fill('wrong')
    await form.getByLabel('New password').fill('another-demo-password')
    await tv.page.keyboard.press('Enter')
    await tv.page.getByText('The current password is wrong').waitFor()
    t.strictSame(await faultsOf(tv.page), [])
    await form.getByLabel('Current password').fill(demoPassword)
    await form.getByRole('button').click()
    await announced(tv.page, 'The password is changed')
  })

  for (const { messages } of [tv, owner])
    t.strictSame(
      messages.filter(message => !isAnswer(message)),
      []
    )
})
