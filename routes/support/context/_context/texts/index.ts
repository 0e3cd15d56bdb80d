import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../../../schemas/answers.js'
import { Ok } from '../../../../../schemas/common.js'
import { SupportText } from '../../../../../schemas/support-text.js'
import { jsonAnswer } from '../../../../../src/catalogue/bytes.js'
import { acceptedLanguages } from '../../../../../src/http/languages.js'
import { ok } from '../../../../../src/http/reply.js'

const schema = {
  summary: 'List the support texts of a context',
  description:
    'An empty context returns the texts of all contexts. Each text is in the first language of `Accept-Language` that it is available in, else in the default language, else in its first language.',
  tags: ['Texts'],
  params: Type.Object({ context: Type.String({ examples: ['playback'] }) }),
  response: publicAnswers(Ok(Type.Array(SupportText), 'SupportTextsAnswer'))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const fallback = app.settings.DEFAULT_LANGUAGE.toLowerCase()

  app.get('', { schema, config: { admission: 'public' } }, function listSupportTexts({ params, headers }, reply) {
    const { supportTexts } = catalogue
    const { context } = params
    const languages = supportTexts.existing([...acceptedLanguages(headers['accept-language']), fallback])
    const answer = catalogue.answer(JSON.stringify(['support', context, supportTexts.variant(context, languages)]), () =>
      jsonAnswer(ok(supportTexts.textsIn(context, languages)), !supportTexts.has(context))
    )
    return reply.publicJson(answer, 'Accept-Language')
  })
}
export default route
