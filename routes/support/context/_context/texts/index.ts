import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../../../../schemas/answers.js'
import { Ok } from '../../../../../schemas/common.js'
import { SupportText } from '../../../../../schemas/support-text.js'
import { jsonBytes } from '../../../../../src/catalogue/bytes.js'
import { supportTexts } from '../../../../../src/catalogue/support-texts.js'
import { acceptedLanguages } from '../../../../../src/languages.js'
import { ok } from '../../../../../src/reply.js'

const schema = {
  summary: 'The support texts of a context',
  description:
    'With the context left empty, those of every context. Each text comes in the first language of `Accept-Language` that it has, else in the default language, else in the first that it has.',
  tags: ['Texts'],
  params: Type.Object({ context: Type.String({ examples: ['playback'] }) }),
  response: publicAnswers(Ok(Type.Array(SupportText)))
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings } = app

  app.get('', { schema, config: { admission: 'public' } }, function listSupportTexts({ params, headers }, reply) {
    const languages = [...acceptedLanguages(headers['accept-language']), settings.DEFAULT_LANGUAGE.toLowerCase()]
    const key = JSON.stringify(['support', params.context, languages])
    return reply.publicJson(
      catalogue.answer(key, () => jsonBytes(ok(supportTexts(catalogue.supportTexts, params.context, languages)))),
      'Accept-Language'
    )
  })
}
export default route
