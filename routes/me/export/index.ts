import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { forAccount } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { Export } from '../../../schemas/export.js'
import { jsonType } from '../../../src/http/reply.js'
import { exportsOf } from '../../../src/privacy/exports.js'

const Answer = Ok(Export)

const schema = {
  summary: 'Export what is stored about the user',
  description:
    'Returns a file to download. `npm run import` takes `users`, `history`, `watchlist` and `hidden` as files of these names. A user can have one export at a time.',
  tags: ['Account'],
  security: [{ bearer: [] }],
  response: answers(Answer, 401, 403)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const exports = exportsOf(app.data)

  app.get('', { schema, ...forAccount }, async function exportMe(request, reply) {
    const { account } = app.viewerOf(request)
    // Fastify would read the stream of an export to its end before it drops it.
    const answer = await (request.method === 'HEAD' ? exports.head(account) : exports.begin(account))
    reply.headers({ 'content-type': jsonType, 'content-disposition': `attachment; filename="viewer-${account}.json"` })
    // Fastify sends a stream unchanged.
    return answer as unknown as Static<typeof Answer>
  })
}
export default route
