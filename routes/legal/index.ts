import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import { publicAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { LegalText } from '../../schemas/texts.js'
import { legalAnswer } from '../../src/catalogue/texts.js'
import { acceptedLanguages } from '../../src/http/languages.js'

const response = publicAnswers(Ok(LegalText), 404)
const tags = ['Texts']
const config = { admission: 'public' } as const

const schema = {
  summary: "Get the legal text in the caller's language",
  description:
    'In the most preferred language of `Accept-Language` that is available, otherwise in the default language. `Content-Language` names the language.',
  tags,
  response
}
const languageSchema = {
  summary: 'Get the legal text in a language',
  description: '`en-us` falls back to `en`. Case does not matter.',
  tags,
  params: Type.Object({ languageCode: Type.String({ examples: ['en', 'en-us'] }) }),
  response
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const fallback = app.settings.DEFAULT_LANGUAGE.toLowerCase()

  const sendFirstAvailable = (reply: FastifyReply, languages: string[], vary: string[] = []) => {
    const { language, answer } = legalAnswer(catalogue, languages)
    return reply.publicJson(answer, { vary, headers: { 'content-language': language } })
  }

  const sendAccepted = (headers: IncomingHttpHeaders, reply: FastifyReply) =>
    sendFirstAvailable(reply, [...acceptedLanguages(headers['accept-language']), fallback], ['Accept-Language'])

  app.get('', { schema, config }, function getLegalText({ headers }, reply) {
    return sendAccepted(headers, reply)
  })

  app.get('/:languageCode', { schema: languageSchema, config }, function getLegalTextIn({ params, headers }, reply) {
    // The parameter is optional in the spec, so `/legal/` is the same as `/legal`.
    if (params.languageCode === '') return sendAccepted(headers, reply)
    return sendFirstAvailable(reply, [params.languageCode.toLowerCase()])
  })
}
export default route
