import t from 'tap'
import { build, providerUser } from '../helpers/app.js'
import { seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { issuer, providerSettings, providerToken } from '../helpers/provider.js'
import { assertDone, assertError } from './helper.js'

t.test('with an identity provider, a stream belongs to the device that a profile names', async t => {
  const url = await seededUrl(t, { contents: [film(1)] })
  const app = await build(t, { url, settings: { ...providerSettings, MAX_STREAMS: '2' } })
  const viewer = async (sub: string, profile?: number) => {
    const headers = {
      authorization: `Bearer ${await providerToken(sub)}`,
      ...(profile !== undefined && { 'viewer-profile': String(profile) })
    }
    return {
      play: (device?: string) =>
        app.inject({ method: 'POST', url: '/playing', headers, payload: { content_id: 1, ...(device !== undefined && { device }) } }),
      stop: (device?: string) =>
        app.inject({ method: 'DELETE', url: `/playing${device === undefined ? '' : `?device=${encodeURIComponent(device)}`}`, headers })
    }
  }

  t.test('and the refusal names those', async t => {
    const [ada, ben] = [await viewer('ada'), await viewer('ben')]
    for (const device of ['TV', 'Phone']) for (const who of [ada, ben]) assertDone(t, await who.play(device), 200)
    const message = 'The account already plays on TV and Phone'
    const full = await ada.play('Tablet')
    t.strictSame([full.statusCode, full.json()], [409, { success: false, code: 409, message, devices: ['TV', 'Phone'] }])
    assertDone(t, await ada.play('TV'), 200, 'a device that plays may go on')
    assertDone(t, await ada.stop('Tablet'), 200)
    assertDone(t, await ada.stop(), 200)
    t.equal((await ada.play('Tablet')).statusCode, 409)
    assertDone(t, await ada.stop('TV'), 200)
    assertDone(t, await ada.play('Tablet'), 200)
    t.equal((await ben.play('Tablet')).statusCode, 409, 'streams of another user do not stop')
  })

  t.test('all profiles of a user share the limit', async t => {
    const account = await providerUser(app, issuer, 'eve')
    const mia = await app.data.profiles.add(account, { name: 'Mia' })
    const child = await app.data.profiles.add(account, { name: 'Tom', max_age: 6 })
    const [eve, asMia, asChild] = [await viewer('eve'), await viewer('eve', mia), await viewer('eve', child)]
    for (const who of [eve, asMia]) assertDone(t, await who.play('TV'), 200)
    t.strictSame((await eve.play('Phone')).json().devices, ['TV', 'TV'])
    assertDone(t, await asMia.stop('TV'), 200)
    t.strictSame((await asMia.play('Phone')).statusCode, 200)
    assertError(t, await asChild.play('Tablet'), 400, 404, 'The content was not found', 'a content without a known age')
    assertError(t, await (await viewer('ben', mia)).play('TV'), 403, 403, 'Forbidden', 'a profile of another user')
  })

  t.test('devices without a name are one', async t => {
    const cleo = await viewer('cleo')
    for (const device of [undefined, '', 'TV', undefined, '']) assertDone(t, await cleo.play(device), 200)
    t.strictSame((await cleo.play('Phone')).json().devices, ['TV', null])
    assertDone(t, await cleo.stop(), 200)
    assertDone(t, await cleo.play('Phone'), 200)
  })

  t.test('whatever its name is', async t => {
    const names = ['$streams', '$$NOW', '{"$ne":1}', '\ud800', '👩‍🚀'.repeat(20), 'O\'Hara, "the" TV & Söhne', 'x'.repeat(100), ' ']
    for (const [i, name] of names.entries()) {
      const who = await viewer(`dora ${i}`)
      for (const device of [name, name, 'another']) assertDone(t, await who.play(device), 200, name)
      t.equal((await who.play('a third')).statusCode, 409, name)
      t.strictSame((await who.play('a third')).json().devices, [name.toWellFormed(), 'another'])
      if (name.isWellFormed()) {
        assertDone(t, await who.stop(name), 200)
        assertDone(t, await who.play('a third'), 200, name)
      }
    }
  })
})
