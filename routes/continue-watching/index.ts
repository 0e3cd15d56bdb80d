import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { ContinueWatchingCard, ContinueWatchingQuery } from '../../schemas/continue-watching.js'
import { Page } from '../../schemas/page.js'
import { onPage, pageMeta } from '../../src/http/reply.js'
import { timeOf } from '../../src/time.js'
import { cardsPageBytes, continueWatching } from '../../src/viewing/continue-watching.js'

const schema = {
  summary: 'List what the user can continue watching',
  description:
    'One card per show or film, most recently watched first. A card shows where to resume. After a completed episode, it shows the first later episode that was completed fewer times. Only the 2,000 most recently watched elements of the history count.',
  tags: ['Continue watching'],
  security: [{ bearer: [] }],
  querystring: ContinueWatchingQuery,
  response: answers(Page(ContinueWatchingCard), 401)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, settings } = app

  app.get('', { schema, ...forViewers }, async function listContinueWatching(request, reply) {
    const { query } = request
    const { id } = app.viewerOf(request)
    catalogue.assertFresh()
    const { hidden, dismissed, ...history } = await data.history.latestHiddenAndDismissed(id)
    const cards = continueWatching(catalogue, {
      history,
      hidden,
      dismissed,
      since: timeOf(query.since),
      completedAt: settings.COMPLETED_AT,
      audience: app.audienceOf(request)
    })
    const shown = onPage(cards, query)
    const elements = await data.history.started(
      id,
      shown.map(({ content_id }) => content_id)
    )
    return reply.json(await cardsPageBytes(catalogue, shown, elements, pageMeta(query, cards.length)))
  })
}
export default route
