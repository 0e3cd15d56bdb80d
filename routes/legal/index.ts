import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { LegalDocument } from '../../schemas/legal-document.js'
import { jsonBytes } from '../../src/catalogue/bytes.js'
import { toLegal } from '../../src/data/legal-documents.js'
import { found } from '../../src/errors.js'
import { acceptedLanguages, firstLanguage } from '../../src/languages.js'
import { ok } from '../../src/reply.js'

const schema = {
  summary: 'The legal text in a language',
  description:
    'Without a language: the first one of `Accept-Language` that exists, else the default language. `Content-Language` names it.',
  tags: ['Texts'],
  params: Type.Object({ languageCode: Type.Optional(Type.String({ examples: ['en', 'en-us'] })) }),
  response: publicAnswers(Ok(LegalDocument), 404)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings } = app

  app.get('/:languageCode?', { schema }, async function getLegalText({ params, headers }, reply) {
    const wanted = params.languageCode
      ? [params.languageCode.toLowerCase()]
      : [...acceptedLanguages(headers['accept-language']), settings.DEFAULT_LANGUAGE.toLowerCase()]
    const language = found(firstLanguage(wanted, code => catalogue.legal.has(code)))
    const answer = await catalogue.answer(`legal ${language}`, () => jsonBytes(ok(toLegal(found(catalogue.legal.get(language))))))
    reply.header('content-language', language)
    return reply.sendPublic(answer, ...(params.languageCode ? [] : ['Accept-Language']))
  })
}
export default route
