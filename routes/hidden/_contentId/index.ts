import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done } from '../../../schemas/common.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { titleIdOf } from '../../../src/catalogue/contents.js'
import { done } from '../../../src/http/reply.js'

const shared = {
  tags: ['Hidden titles'],
  security: [{ bearer: [] }],
  params: Type.Object({ contentId: IntegerId('Id of the content', 1405) }),
  response: answers(Done, 401, 404, 413)
}
const putSchema = {
  ...shared,
  summary: 'Hide a title',
  description:
    'The title is left out of recommendations and continue watching, and its history does not count for recommendations. It stays in history and watchlist. The id may be that of any content of the title: an episode hides its show. Hiding a title again changes nothing.'
}
const deleteSchema = {
  ...shared,
  summary: 'Show a hidden title again',
  description: 'The id may be that of any content of the title.'
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { hidden } = app.data

  app.put('', { schema: putSchema, ...forViewers }, async function hideTitle(request) {
    const title = titleIdOf(catalogue, request.params.contentId, app.audienceOf(request))
    await hidden.put(app.viewerOf(request).id, title)
    return done(200, 'The title was hidden')
  })

  app.delete('', { schema: deleteSchema, ...forViewers }, async function unhideTitle(request) {
    const { contentId } = request.params
    const title = titleIdOf(catalogue, contentId, app.audienceOf(request))
    // A title that has since become part of another one is still stored under its own id.
    await hidden.remove(app.viewerOf(request).id, [title, Number(contentId)])
    return done(200, 'The title is shown again')
  })
}
export default route
