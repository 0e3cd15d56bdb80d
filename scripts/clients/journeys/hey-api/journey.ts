// docs: begin
import * as viewer from './viewer'
import { client } from './viewer/client.gen'

// docs: end

const { VIEWER_URL: url = '', VIEWER_EMAIL: email = '', VIEWER_PASSWORD: password = '' } = process.env

const check = (kept: boolean | undefined, what: string) => {
  if (!kept) throw new Error(what)
}

client.setConfig({ baseUrl: url })
const wrong = await viewer.logIn({ body: { email, password: 'wrong' } })
check(wrong.response?.status === 401 && wrong.error?.success === false, 'a wrong password is a 401')
check((await viewer.listHistory()).response?.status === 401, 'history needs a token')
const { data: popular } = await viewer.listRecommendations({ query: { perPage: 5 } })
check(popular?.data.length === 5 && popular.data[0]?.reason.type === 'popular', 'popular titles for anyone')

// docs: begin
let token = ''
client.setConfig({ baseUrl: url, auth: () => token, throwOnError: true })
const { data: signedIn } = await viewer.logIn({ body: { email, password }, throwOnError: true })
token = signedIn.data.access_token

const { data: films } = await viewer.listContents({ query: { type: ['film'], search: 'harbour' }, throwOnError: true })
for (const { id } of films.data.collection.slice(0, 1))
  await viewer.reportProgress({ body: { content_id: id, time: 312.5, percentage: 12 } })
const { data: cards } = await viewer.listContinueWatching({ throwOnError: true })
for (const { content, history } of cards.data.collection) console.log(content.name, history ? `at ${history.time} s` : '')
// docs: end

const { data: byName } = await viewer.listContents({
  query: { type: ['film', 'show'], order_by: 'name', order_direction: 'asc', perPage: 100 },
  throwOnError: true
})
check(byName.data.collection.length === 100, 'a full page')
check(
  byName.data.collection.every(({ type }) => type === 'film' || type === 'show'),
  'both types, no other'
)
const names = byName.data.collection.map(({ name }) => name.toLowerCase())
check((names[0] as string) < (names[99] as string), 'ordered by name')
const { data: content } = await viewer.getContent({ path: { contentId: 1405 }, throwOnError: true })
check('en' in content.data.title, 'a content item by id')
const { data: terms } = await viewer.listTerms({ query: { order_by: 'name', perPage: 5 }, throwOnError: true })
check(terms.data.collection.length === 5, 'terms by name')
const { data: rails } = await viewer.listRailCollections({ query: { with: ['rails'] }, throwOnError: true })
check((rails.data.collection[0]?.rails?.length ?? 0) > 0, 'rails')
const { data: schedule } = await viewer.listSchedule({ throwOnError: true })
check(schedule.data.collection.length > 0, 'a schedule')

await viewer.clearHistory()
for (const content_id of [1405, 1021, 1188]) {
  const { data: reported } = await viewer.reportProgress({ body: { content_id, percentage: 12 }, throwOnError: true })
  check(reported.success && reported.code === 201 && reported.message !== '', 'a report is stored')
}
const { data: first } = await viewer.listHistory({ query: { perPage: 2 }, throwOnError: true })
check(first.data.meta.next_page === 2 && first.data.meta.prev_page === false, 'there is a next page')
const { data: last } = await viewer.listHistory({ query: { perPage: 2, page: Number(first.data.meta.next_page) }, throwOnError: true })
check(last.data.collection.length === 1 && last.data.meta.next_page === false, 'the last page')
const path = { watchedVideoId: last.data.collection[0]?._id ?? '' }
await viewer.updateHistoryElement({ path, body: { time: 340.25 } })
const { data: element } = await viewer.getHistoryElement({ path, throwOnError: true })
check(element.data.time === 340.25 && element.data.content.id === 1405, 'an element of history by id')

const { data: resumed } = await viewer.listContinueWatching({ throwOnError: true })
check(resumed.data.collection.length === 3 && resumed.data.collection[0]?.history?.content_id === 1405, 'cards to continue watching')
const { data: personal } = await viewer.listRecommendations({ throwOnError: true })
check(
  personal.data.some(({ reason }) => reason.name !== undefined),
  'a recommendation names what was watched'
)
await viewer.deleteHistoryElement({ path })

await viewer.clearWatchlist()
await viewer.addToWatchlist({ body: { content_id: 1405 } })
const { data: saved } = await viewer.listWatchlist({ throwOnError: true })
check(saved.data.collection.length === 1 && saved.data.collection[0]?.content.name !== '', 'the watchlist')
await viewer.deleteWatchlistElement({ path: { elementId: saved.data.collection[0]?.id ?? 0 } })

const invalid = await viewer.updateHistoryElement({ path, body: {}, throwOnError: false })
check(invalid.response?.status === 400 && (invalid.error as viewer.Invalid).errors?.length === 1, 'an invalid body is a 400 with errors')
const unknown = await viewer.getContent({ path: { contentId: 999_999_999 }, throwOnError: false })
check(unknown.response?.status === 404, 'an unknown id is a 404')

const { data: renewed } = await viewer.refresh({ body: { refresh_token: signedIn.data.refresh_token }, throwOnError: true })
token = renewed.data.access_token
await viewer.listHistory()
await viewer.logOut()
