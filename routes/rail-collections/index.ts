import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Several } from '../../schemas/lists.js'
import { Page, PageQuery } from '../../schemas/page.js'
import { RailCollection } from '../../schemas/rail-collection.js'
import { json, pageAnswer } from '../../src/catalogue/bytes.js'
import { toRail } from '../../src/data/rail-collections.js'
import { originHeaders, originsOf } from '../../src/http/origins.js'
import { onPage, pageMeta } from '../../src/http/reply.js'

const schema = {
  summary: 'List the rail collections',
  description: 'A rail is a query for contents: its `endpoint` is the URL that returns them.',
  tags: ['Catalogue'],
  querystring: Type.Object({
    with: Several(Type.Union([Type.Literal('rails')]), 'Relations to include: `rails`', 'rails'),
    ...PageQuery
  }),
  response: publicAnswers(Page(RailCollection))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings } = app
  const originOf = originsOf(settings)
  const vary = originHeaders(settings)

  app.get('', { schema, config: { admission: 'public' } }, function listRailCollections(request, reply) {
    const { query } = request
    const { page, perPage } = query
    const contentsUrl = `${originOf(request)}${settings.BASE_PATH}/contents`

    const railsPage = () => {
      const all = catalogue.railCollections
      const shown = onPage(all, query).map(({ _id, rails, ...collection }) => ({
        ...toRail({ id: _id, ...collection }, contentsUrl),
        ...(query.with && { rails: rails.map(rail => toRail(rail, contentsUrl)) })
      }))
      return pageAnswer(shown.map(json), pageMeta(query, all.length))
    }
    const key = JSON.stringify(['rails', contentsUrl, query.with !== undefined, page, perPage])
    return reply.publicJson(catalogue.answer(key, railsPage), ...vary)
  })
}
export default route
