import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../../../schemas/answers.js'
import { Ok } from '../../../../../schemas/common.js'
import { SupportText } from '../../../../../schemas/texts.js'
import { supportTextsAnswer } from '../../../../../src/catalogue/texts.js'
import { acceptedLanguages } from '../../../../../src/http/languages.js'

const schema = {
  summary: 'List the support texts of a context',
  description:
    'An empty context returns the texts of all contexts, an unknown one an empty array. Each text is in the most preferred language of `Accept-Language` that it has, otherwise in the default language, otherwise in its first language.',
  tags: ['Texts'],
  params: Type.Object({ context: Type.String({ examples: ['playback'] }) }),
  response: publicAnswers(Ok(Type.Array(SupportText), 'SupportTextsAnswer'))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const fallback = app.settings.DEFAULT_LANGUAGE.toLowerCase()

  app.get('', { schema, config: { admission: 'public' } }, function listSupportTexts({ params, headers }, reply) {
    const wanted = [...acceptedLanguages(headers['accept-language']), fallback]
    return reply.publicJson(supportTextsAnswer(catalogue, params.context, wanted), { vary: ['Accept-Language'] })
  })
}
export default route
