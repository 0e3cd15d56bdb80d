import assert from 'node:assert/strict'

// docs: begin
import {
  CatalogueApi,
  Configuration,
  ContinueWatchingApi,
  HistoryApi,
  IdentityApi,
  RecommendationsApi,
  ResponseError,
  WatchlistApi
} from './viewer'

// docs: end

const { VIEWER_URL: url = '', VIEWER_EMAIL: email = '', VIEWER_PASSWORD: password = '' } = process.env
const nobody = new Configuration({ basePath: url })
const refusal = async (call: Promise<unknown>, status: number) => {
  const refused = await call.catch(error => error)
  assert(refused instanceof ResponseError)
  assert.equal(refused.response.status, status)
  return refused.response.json()
}
await refusal(new IdentityApi(nobody).logIn({ credentials: { email, password: 'wrong' } }), 401)
assert((await new RecommendationsApi(nobody).listRecommendations()).data.every(({ reason }) => reason.type === 'popular'))

// docs: begin
const { data: signedIn } = await new IdentityApi(new Configuration({ basePath: url })).logIn({ credentials: { email, password } })
let accessToken = signedIn.accessToken
const configuration = new Configuration({ basePath: url, accessToken: () => accessToken })

const catalogue = new CatalogueApi(configuration)
const { data: films } = await catalogue.listContents({ type: ['film'], search: 'harbour' })
const history = new HistoryApi(configuration)
for (const { id } of films.collection.slice(0, 1))
  await history.reportProgress({ progressReport: { contentId: id, time: 312.5, percentage: 12 } })
const continueWatching = new ContinueWatchingApi(configuration)
for (const card of (await continueWatching.listContinueWatching()).data.collection)
  console.log(`${card.content.name} at ${card.resume.time} s`)
// docs: end

const { data: byName } = await catalogue.listContents({ type: ['film', 'show'], orderBy: 'name', orderDirection: 'asc', perPage: 100 })
assert.equal(byName.collection.length, 100)
assert((await catalogue.listRailCollections({ _with: ['rails'] })).data.collection[0]?.rails?.length)

await history.clearHistory()
for (const contentId of [1405, 1021]) {
  const reported = await history.reportProgress({ progressReport: { contentId, percentage: 12 } })
  assert(reported.success && reported.code === 201 && reported.message)
}
const { data: first } = await history.listHistory({ perPage: 1 })
assert(first.meta.nextPage === 2 && first.meta.prevPage === false)
const { data: last } = await history.listHistory({ perPage: 1, page: first.meta.nextPage })
const watchedVideoId = last.collection[0]?.id ?? ''
const { data: element } = await history.getHistoryElement({ watchedVideoId })
assert(element.percentage === 12 && element.content.id === 1405)
assert((await new RecommendationsApi(configuration).listRecommendations()).data.some(({ reason }) => reason.name))
assert.equal((await refusal(history.updateHistoryElement({ watchedVideoId, progressUpdate: {} }), 400)).errors.length, 1)

const watchlist = new WatchlistApi(configuration)
await watchlist.clearWatchlist()
await watchlist.addToWatchlist({ watchlistAddition: { contentId: 1405 } })
const { data: saved } = await watchlist.listWatchlist()
assert(saved.collection.length === 1 && saved.collection[0]?.content.name)

const { data: renewed } = await new IdentityApi(nobody).refresh({ refreshToken: { refreshToken: signedIn.refreshToken } })
accessToken = renewed.accessToken
await new IdentityApi(configuration).logOut()
