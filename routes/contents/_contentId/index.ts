import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { Content } from '../../../schemas/content.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { answerOf } from '../../../src/catalogue/answers.js'
import { contentJson, okBytes } from '../../../src/catalogue/bytes.js'
import { notFound, orNotFound } from '../../../src/errors.js'
import { integerId } from '../../../src/http/ids.js'

const schema = {
  summary: 'Get a content',
  description: 'Returns a 404 if the content is not open to the caller.',
  tags: ['Catalogue'],
  security: [{ bearer: [] }, {}],
  params: Type.Object({ contentId: IntegerId('Id of the content', 1405) }),
  response: publicAnswers(Ok(Content), 404)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app

  app.get('', { schema, config: { admission: 'public' } }, async function getContent(request, reply) {
    const id = orNotFound(integerId(request.params.contentId))
    if (!catalogue.isOpen(id, app.audienceOf(request))) throw notFound()
    const [fragment] = await catalogue.fragments.of([id])
    return reply.publicJson(answerOf(okBytes(contentJson(orNotFound(fragment)))), ...app.audienceHeaders)
  })
}
export default route
