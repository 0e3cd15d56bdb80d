import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { HiddenTitle } from '../../schemas/hidden.js'
import { Page, PageQuery } from '../../schemas/page.js'
import { IntegerId } from '../../schemas/path-ids.js'
import { isListedFor } from '../../src/catalogue/audience.js'
import { storedTitleIdsOf, titleIdOf } from '../../src/catalogue/contents.js'
import { done, pageMeta } from '../../src/http/reply.js'
import { hiddenPageBytes } from '../../src/viewing/viewer-bytes.js'

const shared = { tags: ['Hidden titles'], security: [{ bearer: [] }] }
const params = Type.Object({ contentId: IntegerId('Id of the item', 1405) })

const listSchema = {
  ...shared,
  summary: 'List the titles that the user has hidden',
  description: 'Most recently hidden first.',
  querystring: Type.Object(PageQuery),
  response: answers(Page(HiddenTitle), 401)
}
const putSchema = {
  ...shared,
  summary: 'Hide a title',
  description:
    'The title is left out of recommendations and continue watching, even if the user watches more of it, and its history does not influence recommendations. It stays in history, watchlist, catalogue and rails. The id of an episode or season hides the show. Returns 404 for an unknown id, and for an item whose start date is in the future. Hiding a title again changes nothing.',
  params,
  response: answers(Done, 401, 404, 413)
}
const deleteSchema = {
  ...shared,
  summary: 'Unhide a title',
  description: 'The id may be that of any item of the title. Returns 404 if the title is not hidden.',
  params,
  response: answers(Done, 401, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { hidden } = app.data

  app.get('', { schema: listSchema, ...forViewers }, async function listHiddenTitles(request, reply) {
    const { query } = request
    // The start date of a title may have been moved since it was hidden.
    const isShown = isListedFor(catalogue.skeleton, app.audienceOf(request))
    const { elements, total } = await hidden.list(app.viewerOf(request).id, query, isShown)
    return reply.json(await hiddenPageBytes(catalogue, elements, pageMeta(query, total)))
  })

  app.put('/:contentId', { schema: putSchema, ...forViewers }, async function hideTitle(request) {
    const { id } = app.viewerOf(request)
    const title = titleIdOf(catalogue, request.params.contentId, app.audienceOf(request))
    await hidden.put(id, title)
    app.unwanted.add(id, title)
    return done(200, 'The title was hidden')
  })

  app.delete('/:contentId', { schema: deleteSchema, ...forViewers }, async function unhideTitle(request) {
    const ids = storedTitleIdsOf(catalogue, request.params.contentId, app.audienceOf(request))
    await hidden.remove(app.viewerOf(request).id, ids)
    return done(200, 'The title is shown again')
  })
}
export default route
