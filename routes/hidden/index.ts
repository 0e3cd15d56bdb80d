import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { HiddenTitle } from '../../schemas/hidden.js'
import { Page, PageQuery } from '../../schemas/page.js'
import { hasStartedFor } from '../../src/catalogue/audience.js'
import { pageMeta } from '../../src/http/reply.js'
import { hiddenPageBytes } from '../../src/viewing/viewer-bytes.js'

const schema = {
  summary: 'List the titles that the user has hidden',
  description: 'Most recently hidden first.',
  tags: ['Hidden titles'],
  security: [{ bearer: [] }],
  querystring: Type.Object(PageQuery),
  response: answers(Page(HiddenTitle), 401)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { hidden } = app.data

  app.get('', { schema, ...forViewers }, async function listHiddenTitles(request, reply) {
    const { query } = request
    // A title can be hidden before its start date. Until then it is left out, because the list would reveal its content.
    const isShown = hasStartedFor(catalogue.skeleton, app.audienceOf(request), Date.now())
    const { elements, total } = await hidden.list(app.viewerOf(request).id, query, isShown)
    return reply.json(await hiddenPageBytes(catalogue, elements, pageMeta(query, total)))
  })
}
export default route
