import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { publicAnswers } from '../../schemas/answers.js'
import { Ok } from '../../schemas/common.js'
import { Page } from '../../schemas/page.js'
import { IntegerId } from '../../schemas/path-ids.js'
import { PeopleQuery, Person } from '../../schemas/people.js'
import { OpenTitles, peopleAnswer, personAnswer } from '../../src/catalogue/people-list.js'
import { orThrow, resourceNotFound } from '../../src/errors.js'
import { integerId } from '../../src/http/requests.js'

const tags = ['Catalogue']

const listSchema = {
  summary: 'List the people of the catalogue',
  description:
    'Sorted by name, ignoring case and accents. A search is sorted by relevance, and equal matches by the number of titles that credit the person and are available now, in any country and for any age. An episode counts as its show.',
  tags,
  querystring: PeopleQuery,
  response: publicAnswers(Page(Person))
}
const getSchema = {
  summary: 'Get a person',
  description: 'GET /contents with `people` lists the items that credit them.',
  tags,
  params: Type.Object({ personId: IntegerId('Id of the person', 71) }),
  response: publicAnswers(Ok(Person), 404)
}

const config = { admission: 'public' } as const

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const openTitles = new OpenTitles(catalogue)

  app.get('', { schema: listSchema, config }, function listPeople({ query }, reply) {
    return reply.publicJson(peopleAnswer(catalogue, openTitles, query))
  })

  app.get('/:personId', { schema: getSchema, config }, function getPerson({ params }, reply) {
    return reply.publicJson(personAnswer(catalogue, orThrow(integerId(params.personId), resourceNotFound)))
  })
}
export default route
