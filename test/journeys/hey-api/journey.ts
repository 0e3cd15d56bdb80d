import assert from 'node:assert/strict'

// docs: begin
import * as viewer from './viewer'
import { client } from './viewer/client.gen'

// docs: end

const { VIEWER_URL: url = '', VIEWER_EMAIL: email = '', VIEWER_PASSWORD: password = '' } = process.env

client.setConfig({ baseUrl: url })
const wrong = await viewer.logIn({ body: { email, password: 'wrong' } })
assert(wrong.response?.status === 401 && wrong.error?.success === false)
assert((await viewer.listRecommendations()).data?.data.every(({ reason }) => reason.type === 'popular'))

// docs: begin
let token = ''
client.setConfig({ baseUrl: url, auth: () => token, throwOnError: true })
const { data: signedIn } = await viewer.logIn({ body: { email, password }, throwOnError: true })
token = signedIn.data.access_token

const { data: films } = await viewer.listContents({ query: { type: ['film'], search: 'harbour' }, throwOnError: true })
for (const { id } of films.data.collection.slice(0, 1))
  await viewer.reportProgress({ body: { content_id: id, time: 312.5, percentage: 12 } })
const { data: cards } = await viewer.listContinueWatching({ throwOnError: true })
for (const { content, resume } of cards.data.collection) console.log(`${content.name} at ${resume.time} s`)
// docs: end

const throwing = { throwOnError: true } as const
const { data: byName } = await viewer.listContents({
  query: { type: ['film', 'show'], order_by: 'name', order_direction: 'asc', perPage: 100 },
  ...throwing
})
assert.equal(byName.data.collection.length, 100)
assert((await viewer.listRailCollections({ query: { with: ['rails'] }, ...throwing })).data.data.collection[0]?.rails?.length)

await viewer.clearHistory()
for (const content_id of [1405, 1021]) {
  const { data: reported } = await viewer.reportProgress({ body: { content_id, percentage: 12 }, ...throwing })
  assert(reported.success && reported.code === 201 && reported.message)
}
const { data: first } = await viewer.listHistory({ query: { perPage: 1 }, ...throwing })
assert(first.data.meta.next_page === 2 && first.data.meta.prev_page === false)
const { data: last } = await viewer.listHistory({ query: { perPage: 1, page: first.data.meta.next_page }, ...throwing })
const path = { watchedVideoId: last.data.collection[0]?._id ?? '' }
const { data: element } = await viewer.getHistoryElement({ path, ...throwing })
assert(element.data.percentage === 12 && element.data.content.id === 1405)
assert((await viewer.listRecommendations(throwing)).data.data.some(({ reason }) => reason.name))
const invalid = await viewer.updateHistoryElement({ path, body: {}, throwOnError: false })
assert(invalid.response?.status === 400 && (invalid.error as viewer.Invalid).errors?.length === 1)

await viewer.clearWatchlist()
await viewer.addToWatchlist({ body: { content_id: 1405 } })
const { data: saved } = await viewer.listWatchlist(throwing)
assert(saved.data.collection.length === 1 && saved.data.collection[0]?.content.name)

const { data: renewed } = await viewer.refresh({ body: { refresh_token: signedIn.data.refresh_token }, ...throwing })
token = renewed.data.access_token
await viewer.logOut()
