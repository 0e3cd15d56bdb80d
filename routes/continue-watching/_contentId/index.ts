import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done } from '../../../schemas/common.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { titleIdOf } from '../../../src/catalogue/contents.js'
import { done } from '../../../src/http/reply.js'

const schema = {
  summary: 'Hide the card of a show or film',
  description: 'It stays hidden until the user watches something of the show again. The id may be that of any content of the show.',
  tags: ['Continue watching'],
  security: [{ bearer: [] }],
  params: Type.Object({ contentId: IntegerId('Id of the content', 1405) }),
  response: answers(Done, 401, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { dismissals } = app.data

  app.delete('', { schema, ...forViewers }, async function dismissCard(request) {
    await dismissals.put(app.viewerOf(request).id, titleIdOf(catalogue, request.params.contentId, app.audienceOf(request)))
    return done(200, 'The card was hidden')
  })
}
export default route
