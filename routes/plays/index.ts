import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Page } from '../../schemas/page.js'
import { Play, PlaysQuery } from '../../schemas/plays.js'
import { storedIdsOf } from '../../src/catalogue/contents.js'
import { invalid } from '../../src/errors.js'
import { pageMeta } from '../../src/http/reply.js'
import { momentOf } from '../../src/time.js'
import { playsPageBytes } from '../../src/viewing/viewer-bytes.js'

const schema = {
  tags: ['History'],
  security: [{ bearer: [] }],
  summary: 'List when the user watched what',
  description:
    'Lists each time that an item was completed, newest first, up to 366 per item. Removing the history element of an item removes its plays. Marking an item as watched adds none, because the time is unknown. Marking it as unwatched removes none.',
  querystring: PlaysQuery,
  response: answers(Page(Play), 401)
}

const rangeOf = ({ from, to }: PlaysQuery) => {
  const range = { from: momentOf(from), to: momentOf(to) }
  if (range.from && range.to && range.to < range.from) throw invalid([{ field: 'to', message: 'must not be before from' }])
  return range
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data } = app

  app.get('', { schema, ...forViewers }, async function listPlays(request, reply) {
    const { query } = request
    const wanted = { ...rangeOf(query), content_id: storedIdsOf(catalogue, query) }
    const isShown = catalogue.ageFilterFor(app.audienceOf(request))
    const { plays, total } = await data.plays.list(app.viewerOf(request).id, wanted, query, isShown)
    return reply.json(await playsPageBytes(catalogue, plays, pageMeta(query, total)))
  })
}
export default route
