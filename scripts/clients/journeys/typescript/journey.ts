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

const check = (kept: boolean, what: string) => {
  if (!kept) throw new Error(what)
}
const refusal = async (call: Promise<unknown>) => {
  const refused = await call.then(
    () => undefined,
    error => error
  )
  check(refused instanceof ResponseError, 'the service refuses')
  return (refused as ResponseError).response
}

const nobody = new Configuration({ basePath: url })
check(
  (await refusal(new IdentityApi(nobody).logIn({ credentials: { email, password: 'wrong' } }))).status === 401,
  'a wrong password is a 401'
)
check((await refusal(new HistoryApi(nobody).listHistory())).status === 401, 'history needs a token')
const { data: popular } = await new RecommendationsApi(nobody).listRecommendations({ perPage: 5 })
check(popular.length === 5 && popular[0]?.reason.type === 'popular', 'popular titles for anyone')

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
  console.log(card.content.name, card.history ? `at ${card.history.time} s` : '')
// docs: end

const { data: byName } = await catalogue.listContents({ type: ['film', 'show'], orderBy: 'name', orderDirection: 'asc', perPage: 100 })
check(byName.collection.length === 100, 'a full page')
check(
  byName.collection.every(({ type }) => type === 'film' || type === 'show'),
  'both types, no other'
)
const names = byName.collection.map(({ name }) => name.toLowerCase())
check((names[0] as string) < (names[99] as string), 'ordered by name')
check('en' in (await catalogue.getContent({ contentId: 1405 })).data.title, 'a content item by id')
check((await catalogue.listTerms({ orderBy: 'name', perPage: 5 })).data.collection.length === 5, 'terms by name')
check((await catalogue.listRailCollections({ _with: ['rails'] })).data.collection[0]?.rails?.length !== 0, 'rails')
check((await catalogue.listSchedule()).data.collection.length > 0, 'a schedule')

await history.clearHistory()
for (const contentId of [1405, 1021, 1188]) {
  const reported = await history.reportProgress({ progressReport: { contentId, percentage: 12 } })
  check(reported.success && reported.code === 201 && reported.message !== '', 'a report is stored')
}
const { data: first } = await history.listHistory({ perPage: 2 })
check(first.meta.nextPage === 2 && first.meta.prevPage === false, 'there is a next page')
const { data: last } = await history.listHistory({ perPage: 2, page: first.meta.nextPage })
check(last.collection.length === 1 && last.meta.nextPage === false, 'the last page')
const watchedVideoId = last.collection[0]?.id ?? ''
await history.updateHistoryElement({ watchedVideoId, progressUpdate: { time: 340.25 } })
const { data: element } = await history.getHistoryElement({ watchedVideoId })
check(element.time === 340.25 && element.content.id === 1405, 'an element of history by id')

const { data: resumed } = await continueWatching.listContinueWatching()
check(resumed.collection.length === 3 && resumed.collection[0]?.history?.contentId === 1405, 'cards to continue watching')
const { data: personal } = await new RecommendationsApi(configuration).listRecommendations()
check(
  personal.some(({ reason }) => reason.name !== undefined),
  'a recommendation names what was watched'
)
await history.deleteHistoryElement({ watchedVideoId })

const watchlist = new WatchlistApi(configuration)
await watchlist.clearWatchlist()
await watchlist.addToWatchlist({ watchlistAddition: { contentId: 1405 } })
const { data: saved } = await watchlist.listWatchlist()
check(saved.collection.length === 1 && saved.collection[0]?.content.name !== '', 'the watchlist')
await watchlist.deleteWatchlistElement({ elementId: saved.collection[0]?.id ?? 0 })

const invalid = await refusal(history.updateHistoryElement({ watchedVideoId, progressUpdate: {} }))
check(invalid.status === 400 && (await invalid.json()).errors.length === 1, 'an invalid body is a 400 with errors')
check((await refusal(catalogue.getContent({ contentId: 999_999_999 }))).status === 404, 'an unknown id is a 404')

const { data: renewed } = await new IdentityApi(nobody).refresh({ refreshToken: { refreshToken: signedIn.refreshToken } })
accessToken = renewed.accessToken
await history.listHistory()
await new IdentityApi(configuration).logOut()
