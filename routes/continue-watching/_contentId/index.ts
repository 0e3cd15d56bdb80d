import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { answers } from '../../../schemas/answers.js'
import { Done } from '../../../schemas/common.js'
import { found } from '../../../src/errors.js'
import { integerId } from '../../../src/http/ids.js'
import { done } from '../../../src/http/reply.js'

const schema = {
  summary: 'Hide the card of a show',
  description: 'Until the user watches something of it again. Any content of the show will do.',
  tags: ['Continue watching'],
  security: [{ bearer: [] }],
  params: Type.Object({ contentId: Type.String() }),
  response: answers(Done, 401, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { dismissals } = app.data

  const guarded = { onRequest: app.tokenRequired, config: { admission: 'viewer' } } as const

  app.delete('', { schema, ...guarded }, async function dismissCard(request) {
    catalogue.assertFresh()
    const row = found(catalogue.skeleton.row(found(integerId(request.params.contentId))))
    await dismissals.put(app.viewerOf(request).id, catalogue.skeleton.idOf(catalogue.tree.title(row)))
    return done(200, 'The card was hidden')
  })
}
export default route
