import type { Page } from 'playwright-core'
import t from 'tap'
import { demoPassword, demoProfiles } from '../../demo/users.js'
import { until } from '../helpers/until.js'
import { chooseProfile, faultsOf, looks, openDemo, phone, television, withBrowser } from './helper.js'

const pin = demoProfiles.find(({ name }) => name === 'Tom')?.pin ?? ''
const limit = 6

const isSettled = (page: Page, looks: 'children' | 'everybody') =>
  page.locator(`[data-looks=${looks}] #personal .card:not(.skeleton)`).first().waitFor()
const names = (page: Page) => page.locator('#who .profile-name').allTextContents()
const focused = (page: Page) => page.evaluate('document.activeElement.querySelector(".profile-name")?.textContent')
const announced = (page: Page, text: string) => page.locator('#said', { hasText: text }).waitFor({ state: 'attached' })

/** The ages of all contents that the page gets from now on. */
const agesSeenBy = (page: Page) => {
  const ages: unknown[] = []
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect)
    else if (typeof value === 'object' && value !== null) {
      if ('handler_id' in value) ages.push('min_age' in value ? value.min_age : undefined)
      Object.values(value).forEach(collect)
    }
  }
  page.on('response', async response => {
    if (response.headers()['content-type']?.startsWith('application/json')) collect(await response.json().catch(() => undefined))
  })
  return ages
}

t.test('the household of the demo page', withBrowser, async t => {
  const { visit } = await openDemo(t)
  const signIn = async (options: Parameters<typeof visit>[0] = {}, name = 'Ada') => {
    const { page } = await visit(options)
    await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
    await page
      .locator('#sign-in')
      .getByRole('button', { name: new RegExp(`^As ${name}`) })
      .click()
    return page
  }

  t.test('says who is watching, once on a device', async t => {
    const page = await signIn(television)
    await page.locator('#who .profile').first().waitFor()
    t.strictSame(await names(page), ['Ada', 'Tom', 'Mia'])
    t.strictSame(await faultsOf(page), [])
    for (let n = 0; n < 3; n++) await page.keyboard.press('Escape')
    t.ok(await page.locator('#who').isVisible(), 'the choice cannot be skipped')
    await page.reload()
    await page.locator('#who .profile').first().waitFor()

    t.equal(await focused(page), 'Ada')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    t.equal(await focused(page), 'Mia')
    await page.keyboard.press('ArrowDown')
    t.equal(await page.evaluate('document.activeElement.textContent'), 'Sign out')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.locator('#who').waitFor({ state: 'hidden' })
    await page.reload()
    await isSettled(page, 'everybody')
    t.equal(await page.locator('#who').isVisible(), false, 'the device remembers the choice')

    await page.getByRole('button', { name: 'Switch the profile' }).click()
    t.equal(await page.locator('#who [aria-current]').textContent(), 'AdaWatching now')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Ada: your account' }).click()
    await page.locator('#sign-out').click()
    await page.getByRole('button', { name: 'Sign in as Ada' }).click()
    await page.locator('#who .profile').first().waitFor()
    t.equal(await page.locator('#who').isVisible(), true, 'the page asks again after a sign-out')
  })

  t.test('opens a profile with a PIN only by it', async t => {
    const page = await signIn(phone)
    await chooseProfile(page, 'Tom')
    const secret = page.locator('#secret')
    t.strictSame(await faultsOf(page), [])
    for (const digit of '00001') await secret.getByRole('button', { name: digit, exact: true }).click()
    await secret.getByRole('button', { name: 'Delete the last digit' }).click()
    t.equal(await secret.getByLabel('PIN').inputValue(), '0000')
    await secret.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The PIN is wrong.').waitFor()
    t.strictSame(await faultsOf(page), [])
    t.equal(await secret.getByLabel('PIN').inputValue(), '')
    await page.keyboard.type(pin)
    await page.keyboard.press('Enter')
    await announced(page, 'Hello, Tom')
    await isSettled(page, 'everybody')
    t.ok(await page.getByRole('region', { name: 'Recommended for Tom' }).count())
  })

  for (const { what, options } of looks)
    t.test(`shows a child only what is for it, on ${what}`, async t => {
      const page = await signIn(options)
      await chooseProfile(page, 'Mia')
      await isSettled(page, 'children')
      const ages = agesSeenBy(page)
      await page.reload()
      await isSettled(page, 'children')
      await page.getByText(`Up to ${limit}`).waitFor()
      await page.locator('#schedule .channel h3').first().waitFor()
      t.strictSame(await faultsOf(page), [])
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the screen')
      for (const matter of [/your account/, 'Manage profiles', 'Sign out', 'Sign in']) {
        t.equal(await page.getByRole('button', { name: matter }).count(), 0, `${matter}`)
      }

      await page.locator('#personal .card .open').first().click()
      await page.locator('#similar-title').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.locator('#words').fill('the')
      await page.locator('#results .card:not(.skeleton)').first().waitFor()
      t.ok(ages.length > 50, `${ages.length}`)
      t.strictSame(
        ages.filter(age => !(Number(age) <= limit)),
        []
      )
    })

  t.test('lets a child leave with the password only', async t => {
    const page = await signIn()
    await chooseProfile(page, 'Mia')
    await isSettled(page, 'children')
    await page.getByRole('button', { name: /^Mia, Up to 6/ }).click()
    await page.locator('#who .profile').first().waitFor()
    t.strictSame(await page.locator('#who .actions button').allTextContents(), ['Back to Mia'])
    t.strictSame(await faultsOf(page), [])
    await chooseProfile(page, 'Ada')
    const field = page.getByLabel('Password of the account')
    t.strictSame(await faultsOf(page), [])
    await field.fill('abracadabra')
    await page.keyboard.press('Enter')
    await page.getByText('The password is wrong.').waitFor()
    await page.reload()
    await isSettled(page, 'children')
    await page.getByRole('button', { name: /^Mia, Up to 6/ }).click()
    await chooseProfile(page, 'Ada')
    await field.fill(demoPassword)
    await page.keyboard.press('Enter')
    await isSettled(page, 'everybody')
    await page.getByRole('button', { name: 'Ada: your account' }).waitFor()
  })

  t.test('does not show a child where devices are allowed', async t => {
    const page = await signIn()
    await chooseProfile(page, 'Mia')
    await isSettled(page, 'children')
    await page.evaluate('location.hash = "#device"')
    await announced(page, 'Ask a grown-up')
    t.equal(await page.locator('#approval').isVisible(), false)
  })

  t.test('follows a switch in another tab', async t => {
    const page = await signIn()
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.locator('#who .profile').first().waitFor()
    await chooseProfile(page, 'Ada')
    await other.locator('#who').waitFor({ state: 'hidden' })
    await isSettled(other, 'everybody')
    await page.getByRole('button', { name: 'Switch the profile' }).click()
    await chooseProfile(page, 'Mia')
    await isSettled(other, 'children')
    t.equal(await other.locator('#who').isVisible(), false)
  })

  t.test('says in words what is wrong', async t => {
    const page = await signIn()
    await chooseProfile(page, 'Ada')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Switch the profile' }).click()
    await announced(page, 'You are offline')
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'Switch the profile' }).click()
    await chooseProfile(page, 'Tom')
    const error = page.locator('#secret:not([aria-busy]) .error:not(:empty)')
    const enter = async () => {
      await page.getByLabel('PIN', { exact: true }).fill('9999')
      await page.keyboard.press('Enter')
      return String(await error.textContent())
    }
    await until(async () => (await enter()) !== 'The PIN is wrong.')
    t.match(await error.textContent(), /^Too many wrong attempts\. Try again in \d+ minutes\.$/)
    await page.locator('#secret').getByRole('button', { name: 'Back' }).click()
    await chooseProfile(page, 'Mia')
    await isSettled(page, 'children')
  })

  t.test('shows a limit that one sets oneself at once', async t => {
    const page = await signIn()
    await chooseProfile(page, 'Ada')
    await isSettled(page, 'everybody')
    await page.getByRole('button', { name: 'Switch the profile' }).click()
    await page.getByRole('button', { name: 'Manage profiles' }).last().click()
    await chooseProfile(page, 'Ada')
    await page.locator('#profile').getByLabel('Age limit').selectOption('Up to 12')
    await page.locator('#profile').getByRole('button', { name: 'Save' }).click()
    await isSettled(page, 'children')
    t.equal(await page.getByRole('button', { name: /^Ada, Up to 12/ }).count(), 1)
    t.equal(await page.locator('#who').isVisible(), false)
  })

  t.test('adds, changes and deletes profiles', async t => {
    const page = await signIn({}, 'Ben')
    await page.getByRole('button', { name: 'Ben: your account' }).click()
    t.equal(await page.locator('#who').isVisible(), false, 'a user without other profiles is not asked')
    await page.getByRole('button', { name: 'Manage profiles' }).click()
    const editor = page.locator('#profile')
    const save = (name: string) => editor.getByRole('button', { name, exact: true }).click()

    await page.getByRole('button', { name: /^Ben/ }).last().click()
    t.equal(await editor.getByRole('button', { name: 'Delete' }).count(), 0, 'the first profile cannot be deleted')
    await editor.getByLabel('Age limit').selectOption('Up to 6')
    await save('Save')
    await page.getByText('At least one profile must have no limit.').waitFor()
    await editor.getByRole('button', { name: 'Cancel' }).click()

    await page.getByRole('button', { name: 'Add a profile' }).click()
    await editor.getByLabel('Name').fill('Noa')
    await editor.getByLabel('Age limit').selectOption('Up to 12')
    await editor.getByLabel(/^PIN/).fill('12a4')
    t.strictSame(await faultsOf(page), [])
    await save('Add')
    t.ok(await editor.isVisible(), 'a PIN with letters is refused')
    await editor.getByLabel(/^PIN/).fill('1234')
    await save('Add')
    await announced(page, 'Noa can watch now')
    t.strictSame(await names(page), ['Ben', 'Noa', 'Add a profile'])
    t.equal(await focused(page), 'Noa', 'the new profile has the focus')
    t.strictSame(await faultsOf(page), [])

    await page.keyboard.press('Enter')
    await editor.getByLabel('Name').fill('Noa Lina')
    await editor.getByLabel('Remove the PIN').check()
    await save('Save')
    await announced(page, 'Noa Lina is changed')
    await page.getByRole('button', { name: 'Done' }).click()
    t.match(await page.locator('#who .profile').allTextContents(), ['BenWatching now', 'Noa LinaUp to 12'])

    await page.getByRole('button', { name: 'Manage profiles' }).click()
    await page.getByRole('button', { name: /^Noa Lina/ }).click()
    await save('Delete')
    t.strictSame(await faultsOf(page), [])
    await editor.getByRole('button', { name: 'Keep Noa Lina' }).click()
    await save('Delete')
    await editor.getByRole('button', { name: 'Delete Noa Lina' }).click()
    await announced(page, 'Noa Lina is deleted')
    await until(async () => (await names(page)).join() === 'Ben,Add a profile')
    await page.getByRole('button', { name: 'Done' }).click()
    t.equal(await page.locator('#who').isVisible(), false)
    t.equal(await page.getByRole('button', { name: 'Switch the profile' }).count(), 0)
  })
})
