import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { publicAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { LegalDocument } from '../../schemas/legal-document.js'
import { jsonAnswer } from '../../src/catalogue/bytes.js'
import { toLegal } from '../../src/data/legal-documents.js'
import { found } from '../../src/errors.js'
import { acceptedLanguages, existingLanguages } from '../../src/http/languages.js'
import { ok } from '../../src/http/reply.js'

const response = publicAnswers(Ok(LegalDocument), 404)
const tags = ['Texts']
const config = { admission: 'public' } as const

const schema = {
  summary: "The legal text in the caller's language",
  description: 'In the first language of `Accept-Language` that exists, else in the default language. `Content-Language` names it.',
  tags,
  response
}
const languageSchema = {
  summary: 'The legal text in a language',
  description: '`en-us` finds `en-us`, else `en`.',
  tags,
  params: Type.Object({ languageCode: Type.String({ examples: ['en', 'en-us'] }) }),
  response
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const fallback = app.settings.DEFAULT_LANGUAGE.toLowerCase()

  const sendIn = (reply: FastifyReply, wanted: string[], ...vary: string[]) => {
    const language = found(existingLanguages(wanted, code => catalogue.legal.has(code))[0])
    const answer = catalogue.answer(`legal ${language}`, () => jsonAnswer(ok(toLegal(found(catalogue.legal.get(language))))))
    return reply.header('content-language', language).publicJson(answer, ...vary)
  }

  const sendAccepted = (headers: IncomingHttpHeaders, reply: FastifyReply) =>
    sendIn(reply, [...acceptedLanguages(headers['accept-language']), fallback], 'Accept-Language')

  app.get('', { schema, config }, function getLegalText({ headers }, reply) {
    return sendAccepted(headers, reply)
  })

  app.get('/:languageCode', { schema: languageSchema, config }, function getLegalTextIn({ params, headers }, reply) {
    // With the language left empty (`/legal/`) it is the path above.
    if (params.languageCode === '') return sendAccepted(headers, reply)
    return sendIn(reply, [params.languageCode.toLowerCase()])
  })
}
export default route
