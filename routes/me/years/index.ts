import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { firstYear, lastYear, YearAnswer, YearQuery } from '../../../schemas/plays.js'
import { resourceNotFound } from '../../../src/errors.js'
import { integerId } from '../../../src/http/requests.js'
import { Pacer } from '../../../src/overload/pacer.js'
import { aroundYear, yearBytes } from '../../../src/viewing/year.js'

const schema = {
  tags: ['History'],
  security: [{ bearer: [] }],
  summary: 'Summarize a year of the user',
  description: 'Summarizes the plays of GET /plays. Returns 404 for years before 1970 or after 2200.',
  params: Type.Object({ year: IntegerId('The year', 2026) }),
  querystring: YearQuery,
  response: answers(YearAnswer, 401, 404)
}

const yearIn = (text: string) => {
  const year = integerId(text)
  if (year === undefined || year < firstYear || year > lastYear) throw resourceNotFound()
  return year
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data } = app
  const pacer = new Pacer()

  app.get('/:year', { schema, ...forViewers }, async function getYear(request, reply) {
    const year = yearIn(request.params.year)
    catalogue.assertFresh()
    const wanted = { year, timezone: request.query.timezone, isShown: catalogue.ageFilterFor(app.audienceOf(request)) }
    const plays = await data.plays.between(app.viewerOf(request).id, aroundYear(year))
    return reply.json(await pacer.run(() => yearBytes(catalogue, plays.read(), wanted, () => pacer.pause())))
  })
}
export default route
