import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Page } from '../../schemas/page.js'
import { RailCollection, RailCollectionsQuery } from '../../schemas/rail-collection.js'
import { railCollectionsAnswer } from '../../src/catalogue/rails.js'
import { originHeaders, originsOf } from '../../src/http/addresses.js'

const schema = {
  summary: 'List the rail collections',
  description: 'A rail is a query of GET /contents. Its `endpoint` is the URL that returns its items.',
  tags: ['Catalogue'],
  querystring: RailCollectionsQuery,
  response: publicAnswers(Page(RailCollection))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings } = app
  const originOf = originsOf(settings)
  const vary = originHeaders(settings)

  app.get('', { schema, config: { admission: 'public' } }, function listRailCollections(request, reply) {
    const contentsUrl = `${originOf(request)}${settings.BASE_PATH}/contents`
    return reply.publicJson(railCollectionsAnswer(catalogue, request.query, contentsUrl), { vary })
  })
}
export default route
