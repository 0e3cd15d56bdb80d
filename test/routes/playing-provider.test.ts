import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import t from 'tap'
import { build } from '../helpers/app.js'
import { seededUrl } from '../helpers/database.js'
import { film } from '../helpers/documents.js'
import { done } from './helper.js'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const tokenOf = (sub: string) =>
  new SignJWT({ sub })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('viewer')
    .setAudience('viewer')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)

t.test('with an identity provider, a stream belongs to the device that a profile names', async t => {
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const url = await seededUrl(t, { contents: [film(1)] })
  const app = await build(t, { url, settings: { JWT_SECRET: '', JWT_PUBLIC_KEY: pem, MAX_STREAMS: '2' } })
  const viewer = async (sub: string) => {
    const headers = { authorization: `Bearer ${await tokenOf(sub)}` }
    return {
      play: (device?: string) =>
        app.inject({ method: 'POST', url: '/playing', headers, payload: { content_id: 1, ...(device !== undefined && { device }) } }),
      stop: (device?: string) =>
        app.inject({ method: 'DELETE', url: `/playing${device === undefined ? '' : `?device=${encodeURIComponent(device)}`}`, headers })
    }
  }

  t.test('and the refusal names those', async t => {
    const [ada, ben] = [await viewer('ada'), await viewer('ben')]
    for (const device of ['TV', 'Phone']) for (const who of [ada, ben]) done(t, await who.play(device), 200)
    const message = 'The account already plays on TV and Phone'
    const full = await ada.play('Tablet')
    t.strictSame([full.statusCode, full.json()], [409, { success: false, code: 409, message, devices: ['TV', 'Phone'] }])
    done(t, await ada.play('TV'), 200, 'who plays plays on')
    done(t, await ada.stop('Tablet'), 200)
    done(t, await ada.stop(), 200)
    t.equal((await ada.play('Tablet')).statusCode, 409)
    done(t, await ada.stop('TV'), 200)
    done(t, await ada.play('Tablet'), 200)
    t.equal((await ben.play('Tablet')).statusCode, 409, 'of another user nothing has stopped')
  })

  t.test('devices without a name are one', async t => {
    const cleo = await viewer('cleo')
    for (const device of [undefined, '', 'TV', undefined, '']) done(t, await cleo.play(device), 200)
    t.strictSame((await cleo.play('Phone')).json().devices, ['TV', null])
    done(t, await cleo.stop(), 200)
    done(t, await cleo.play('Phone'), 200)
  })

  t.test('whatever its name is', async t => {
    const names = ['$streams', '$$NOW', '{"$ne":1}', '\ud800', '👩‍🚀'.repeat(20), 'O\'Hara, "the" TV & Söhne', 'x'.repeat(100), ' ']
    for (const [i, name] of names.entries()) {
      const who = await viewer(`dora ${i}`)
      for (const device of [name, name, 'another']) done(t, await who.play(device), 200, name)
      t.equal((await who.play('a third')).statusCode, 409, name)
      t.strictSame((await who.play('a third')).json().devices, [name.toWellFormed(), 'another'])
      if (name.isWellFormed()) {
        done(t, await who.stop(name), 200)
        done(t, await who.play('a third'), 200, name)
      }
    }
  })
})
