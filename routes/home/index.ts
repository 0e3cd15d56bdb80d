import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forAnyone } from '../../plugins/authentication.js'
import { publicAnswers } from '../../schemas/answers.js'
import { HomeAnswer, HomeQuery } from '../../schemas/home.js'
import { unauthenticated } from '../../src/errors.js'
import { Home } from '../../src/viewing/home.js'

const schema = {
  summary: 'Get the rows of a start page',
  description:
    'Rows in this order, without empty ones: `continue_watching`, `recommended`, up to two `because` (titles like one that the user has recently watched), `watchlist`, `popular`, `new`, and a `rail` for each rail of the collection, or of all collections. Without a token: `popular`, `new` and rails, with an `ETag`. A title is in only one of `recommended`, `because`, `popular` and `new`. If the database does not respond, `missing` names the kinds of rows that need it, and the others are returned.',
  tags: ['Recommendations'],
  security: [{ bearer: [] }, {}],
  querystring: HomeQuery,
  response: publicAnswers(HomeAnswer, 401)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, recommender, uptake, settings } = app
  const home = new Home({
    catalogue,
    data,
    recommender,
    uptake,
    unwanted: app.unwanted,
    outage: app.outage,
    interest: { completedAt: settings.COMPLETED_AT, interestFrom: settings.INTEREST_FROM },
    recentDays: settings.RECENT_DAYS,
    basePath: settings.BASE_PATH,
    patience: settings.DATABASE_TIMEOUT
  })
  // Otherwise there would be nothing to show if the database failed before the first request.
  app.preparations.push(() => home.prepare())

  // The handler can respond without the database, so only its reads queue for a connection.
  const config = { admission: 'public' } as const
  // Not async, so that a cached anonymous response is sent without waiting for a promise.
  app.get('', { schema, ...forAnyone, config }, function getHome(request, reply) {
    catalogue.assertFresh()
    const { viewer, query } = request
    const wanted = { ...query, audience: app.audienceOf(request) }
    if (!viewer && query.watched !== undefined) throw unauthenticated()
    if (!viewer) return reply.publicJson(home.forAnyone(wanted), { vary: app.audienceHeaders })
    const page = home.forViewer(viewer.id, { ...wanted, isHead: request.method === 'HEAD' }, read => app.readForViewer(request, read))
    return page.then(bytes => reply.json(bytes))
  })
}
export default route
