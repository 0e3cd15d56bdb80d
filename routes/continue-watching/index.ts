import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { ContinueWatchingCard, ContinueWatchingQuery } from '../../schemas/continue-watching.js'
import { Page } from '../../schemas/page.js'
import { IntegerId } from '../../schemas/path-ids.js'
import type { Audience } from '../../src/catalogue/audience.js'
import { cardTitleIdOf, storedIdsOf } from '../../src/catalogue/contents.js'
import { done, onPage, pageMeta } from '../../src/http/reply.js'
import { Pacer } from '../../src/overload/pacer.js'
import { timeOf } from '../../src/time.js'
import { cardsPageBytes, continueWatching } from '../../src/viewing/continue-watching.js'

const shared = { tags: ['Continue watching'], security: [{ bearer: [] }] }

const listSchema = {
  ...shared,
  summary: 'List what the user can continue watching',
  description:
    'One card per show or film, most recently watched first. A card shows where to resume. After a completed episode, it shows the first later episode that was completed fewer times. Without `title`, only the 2,000 most recently watched elements of the history are considered.',
  querystring: ContinueWatchingQuery,
  response: answers(Page(ContinueWatchingCard), 401)
}
const deleteSchema = {
  ...shared,
  summary: 'Hide the card of a show or film',
  description:
    'The card stays hidden until the user watches the show or film again. A late report of earlier playback does not bring it back. The id may be that of the show or of any of its episodes. Returns 200 even if there is no card, and 404 for an unknown id, and for an item whose start date is in the future.',
  params: Type.Object({ contentId: IntegerId('Id of the item', 1405) }),
  response: answers(Done, 401, 404, 413)
}

/** In elements. */
const usualHistory = 500
const usualPage = 50
const isLong = ({ perPage }: ContinueWatchingQuery) => perPage > usualPage

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, settings } = app
  const pacer = new Pacer()
  // Only large jobs are queued, because a waiting job keeps its history in memory, which costs garbage collection.
  const inTurn = <T>(isLarge: boolean, job: () => T | Promise<T>) => (isLarge ? pacer.run(job) : job())

  /** A function of its own, so that the other cards are freed before the elements are read. */
  const cardsOnPage = async (user_id: number, query: ContinueWatchingQuery, audience: Audience) => {
    const { hidden, dismissed, ...history } = await data.history.latestHiddenAndDismissed(
      user_id,
      storedIdsOf(catalogue, { title: query.title })
    )
    const wanted = { since: timeOf(query.since), reasons: query.reason }
    const state = { history, hidden, dismissed, ...wanted, completedAt: settings.COMPLETED_AT, audience }
    const isLarge = isLong(query) || history.content_ids.length > usualHistory
    const cards = await inTurn(isLarge, () => continueWatching(catalogue, state))
    return { shown: onPage(cards, query), meta: pageMeta(query, cards.length) }
  }

  app.get('', { schema: listSchema, ...forViewers }, async function listContinueWatching(request, reply) {
    const { query } = request
    const { id } = app.viewerOf(request)
    catalogue.assertFresh()
    const { shown, meta } = await cardsOnPage(id, query, app.audienceOf(request))
    const contentIds = shown.flatMap(({ content_id }) => catalogue.skeleton.idsOf(content_id))
    const elements = await data.history.resumable(id, contentIds)
    const page = () => cardsPageBytes(catalogue, shown, elements, { meta, completedAt: settings.COMPLETED_AT })
    return reply.json(await inTurn(isLong(query), page))
  })

  app.delete('/:contentId', { schema: deleteSchema, ...forViewers }, async function dismissCard(request) {
    const title = cardTitleIdOf(catalogue, request.params.contentId, app.audienceOf(request))
    await data.dismissals.put(app.viewerOf(request).id, title)
    return done(200, 'The card was hidden')
  })
}
export default route
