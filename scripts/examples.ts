import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fillWithDemo } from '../demo/fill.js'
import { demoPassword, demoUsers } from '../demo/users.js'
import { buildApp } from '../src/app.js'
import { readSettings, Settings } from '../src/config.js'
import { orFail } from './command-line.js'
import { startMongod } from './mongod/start.js'
import { root } from './root.js'

interface Example {
  request?: object
  answer: unknown
}

/** Two are enough to show that there may be several. */
const shownLanguages = ['en', 'de']

/** Keeps one element of each list, one plan and two languages of each text, which is enough for an example. */
const shortened = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value)
  const arePlans = parts.every(([name]) => /^\d+$/.test(name))
  const shown = 'en' in value ? parts.filter(([name]) => shownLanguages.includes(name)) : parts.slice(0, arePlans ? 1 : undefined)
  return Object.fromEntries(shown.map(([name, part]) => [name, shortened(part)]))
}

/** Replaces tokens, which would be useless to readers. */
const masked = (examples: Record<string, Example>) => {
  for (const key of ['POST /login', 'POST /login/refresh', 'POST /login/device/token', 'POST /profiles/{profileId}/token']) {
    const { answer } = examples[key] as { answer: { data: object } }
    answer.data = { ...answer.data, access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9…', refresh_token: '0f8b6c1e…' }
  }
  Object.assign(examples['POST /login/refresh'] as Example, { request: { refresh_token: '0f8b6c1e…' } })
  Object.assign(examples['POST /login/device/token'] as Example, { request: { device_code: 'GmRhmhcx…' } })
  Object.assign((examples['POST /login/device'] as { answer: { data: object } }).answer.data, { device_code: 'GmRhmhcx…' })
  return examples
}

/** Records responses of the service with the demo catalogue as the examples of the OpenAPI document. */
await orFail(async () => {
  const origin = 'http://localhost:3000'
  const mongod = await startMongod({ say: console.log })
  await fillWithDemo(mongod.url, origin, console.log)
  const settings = {
    MONGO_URL: mongod.url,
    JWT_SECRET: 'only here to ask for the examples of it',
    PUBLIC_URL: origin,
    DEVICE_URL: `${origin}/#device`,
    TRAIN: 'off'
  }
  const app = await buildApp(readSettings(Settings, settings), { logger: false })
  await app.ready()
  await app.whenReady

  const examples: Record<string, Example> = {}
  let authorization = ''

  /** `path` is the path in the document, `url` the URL to request. */
  const ask = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, url = path, request?: object) => {
    const answer = await app.inject({
      method,
      url,
      headers: { ...(authorization && { authorization }) },
      ...(request && { payload: request })
    })
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.body}`)
    // The OpenAPI document leaves out the key with the trailing space.
    const { 'message ': _, ...body } = answer.json()
    examples[`${method} ${path}`] = { ...(request && { request }), answer: shortened(body) }
    return body.data
  }
  const email = demoUsers[0].email
  const { access_token, refresh_token } = await ask('POST', '/login', '/login', { email, password: demoPassword, device: 'Living room TV' })
  authorization = `Bearer ${access_token}`

  await ask('GET', '/contents', '/contents?type=show&perPage=1')
  await ask('GET', '/contents/{contentId}', '/contents/1405')
  await ask('GET', '/terms', '/terms?perPage=1')
  await ask('GET', '/terms/{termId}', '/terms/1')
  await ask('GET', '/people', '/people?search=oksvik&perPage=1')
  await ask('GET', '/people/{personId}', '/people/1')
  await ask('GET', '/rail-collections', '/rail-collections?with=rails&perPage=1')
  await ask('GET', '/schedule', '/schedule?perPage=1')
  await ask('GET', '/schedule/now', '/schedule/now?channel=stories')
  await ask('GET', '/contents/{contentId}/similar', '/contents/1405/similar?perPage=1')
  await ask('GET', '/legal')
  await ask('GET', '/legal/{languageCode}', '/legal/de')
  await ask('GET', '/support/context/{context}/texts', '/support/context/playback/texts')

  await ask('POST', '/history', '/history', { content_id: 1405, time: 312.5, percentage: 12 })
  await ask('POST', '/playing', '/playing', { content_id: 1405 })
  await ask('DELETE', '/playing')
  const { collection } = await ask('GET', '/history', '/history?perPage=1')
  const element = collection[0]._id
  await ask('GET', '/history/{watchedVideoId}', `/history/${element}`)
  await ask('PUT', '/history/{watchedVideoId}', `/history/${element}`, { time: 340, percentage: 13 })
  const reports = [
    { content_id: 1405, time: 355, observed_at: collection[0].updated_at },
    { content_id: 999_999, time: 10 }
  ]
  await ask('POST', '/history/batch', '/history/batch', { reports })
  await ask('POST', '/history/watched', '/history/watched', { content_id: 1405, watched: true })
  await ask('GET', '/watchlist/{elementId}', `/watchlist/${element}`)
  await ask('GET', '/plays', '/plays?perPage=1')
  await ask('GET', '/me/years/{year}', `/me/years/${new Date().getFullYear() - 1}`)
  await ask('GET', '/continue-watching', '/continue-watching?perPage=1')
  await ask('GET', '/recommendations', '/recommendations?perPage=1')
  await ask('GET', '/home', '/home?items=1&rails=1')
  await ask('POST', '/watchlist', '/watchlist', { content_id: 1405 })
  const { collection: saved } = await ask('GET', '/watchlist', '/watchlist?perPage=1')
  await ask('GET', '/me/export')
  await ask('POST', '/recommendations/seen', '/recommendations/seen', { content_ids: [1405] })

  await ask('DELETE', '/watchlist/{elementId}', `/watchlist/${saved[0].id}`)
  await ask('DELETE', '/watchlist')
  await ask('DELETE', '/continue-watching/{contentId}', '/continue-watching/1405')
  await ask('PUT', '/hidden/{contentId}', '/hidden/1405')
  await ask('GET', '/hidden', '/hidden?perPage=1')
  await ask('DELETE', '/hidden/{contentId}', '/hidden/1405')
  await ask('PUT', '/ratings/{contentId}', '/ratings/1405', { rating: 'like' })
  await ask('GET', '/ratings', '/ratings?perPage=1')
  await ask('DELETE', '/ratings/{contentId}', '/ratings/1405')
  await ask('PUT', '/preferences', '/preferences', { audio: 'en', subtitles: 'off' })
  await ask('GET', '/preferences')
  await ask('PUT', '/preferences/{contentId}', '/preferences/1405', { subtitles: 'de' })
  await ask('GET', '/preferences/{contentId}', '/preferences/1405')
  await ask('DELETE', '/preferences/{contentId}', '/preferences/1405')
  await ask('DELETE', '/preferences')
  await ask('GET', '/changes', '/changes?perPage=1')
  await ask('DELETE', '/history/{watchedVideoId}', `/history/${element}`)
  await ask('DELETE', '/history')
  await ask('POST', '/login/refresh', '/login/refresh', { refresh_token })
  const device = await ask('POST', '/login/device', '/login/device', { device: 'Bedroom TV' })
  await ask('GET', '/login/device/{userCode}', `/login/device/${device.user_code}`)
  await ask('POST', '/login/device/{userCode}', `/login/device/${device.user_code}`, { approve: true })
  await ask('POST', '/login/device/token', '/login/device/token', { device_code: device.device_code })
  await ask('GET', '/me')
  await ask('POST', '/profiles', '/profiles', { name: 'Mia', max_age: 6 })
  const { id: mia } = (await ask('GET', '/profiles')).at(-1)
  await ask('PUT', '/profiles/{profileId}', `/profiles/${mia}`, { max_age: 12 })
  await ask('POST', '/profiles/{profileId}/token', `/profiles/${mia}/token`, {})
  await ask('DELETE', '/profiles/{profileId}', `/profiles/${mia}`)
  await ask('GET', '/sessions')
  const phone = await app.inject({ method: 'POST', url: '/login', payload: { email, password: demoPassword } })
  const { sid } = JSON.parse(atob(phone.json().data.access_token.split('.')[1]))
  await ask('DELETE', '/sessions/{sessionId}', `/sessions/${sid}`)
  await ask('DELETE', '/sessions', '/sessions?others=true')
  await ask('PUT', '/me/password', '/me/password', { password: demoPassword, new_password: 'another-demo-password' })
  await ask('POST', '/logout')
  await ask('GET', '/health')
  await ask('GET', '/ready')

  const other = await app.inject({ method: 'POST', url: '/login', payload: { email: demoUsers[1].email, password: demoPassword } })
  authorization = `Bearer ${other.json().data.access_token}`
  await ask('DELETE', '/me', '/me', { password: demoPassword })

  /** One row is enough for an example, too. */
  const home = examples['GET /home'] as { answer: { data: { rows: { kind: string }[] } } }
  home.answer.data.rows = home.answer.data.rows.filter(({ kind }) => kind === 'because').slice(0, 1)

  const file = join(root, 'schemas/examples.ts')
  await writeFile(
    file,
    `/** Responses with the demo catalogue, by operation. Written by \`npm run examples\`. */
export const examples: Record<string, { request?: object; answer?: unknown }> = ${JSON.stringify(masked(examples), null, 2)}
`
  )
  execFileSync('biome', ['check', '--write', '--log-level=error', file], { stdio: 'inherit' })
  await app.close()
  await mongod.stop()
  process.exit()
})
