import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers, createdAnswers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { HistoryElement, HistoryQuery, ProgressReport } from '../../schemas/history.js'
import { Page } from '../../schemas/page.js'
import { historyContentIdMissing, historyContentNotFound } from '../../src/errors.js'
import { done, pageMeta } from '../../src/http/reply.js'
import { refuseMissingContentId } from '../../src/http/requests.js'
import { progressIn } from '../../src/viewing/report-bodies.js'
import { historyPageBytes } from '../../src/viewing/viewer-bytes.js'

const tags = ['History']
const security = [{ bearer: [] }]

const listSchema = {
  summary: 'List what the user has watched',
  description: 'Most recently watched first.',
  tags,
  security,
  querystring: HistoryQuery,
  response: answers(Page(HistoryElement), 401)
}
const postSchema = {
  summary: 'Report the progress of a content',
  description: "Creates or updates the user's one history element for this content. `Location` is its path.",
  tags,
  security,
  body: ProgressReport,
  response: createdAnswers(Done, 401, 413)
}
const deleteSchema = {
  summary: 'Clear the history',
  description: 'Removes all of its elements.',
  tags,
  security,
  response: answers(Done, 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings, uptake } = app
  const { history, reports, dismissals } = app.data

  app.get('', { schema: listSchema, ...forViewers }, async function listHistory(request, reply) {
    const { query } = request
    const isSuited = catalogue.suitedTo(app.audienceOf(request))
    const { elements, total } = await history.list(app.viewerOf(request).id, query, isSuited)
    return reply.json(await historyPageBytes(catalogue, elements, pageMeta(query, total)))
  })

  app.post(
    '',
    { schema: postSchema, ...forViewers, preValidation: refuseMissingContentId(historyContentIdMissing) },
    async function reportProgress(request, reply) {
      const { content_id } = request.body
      const audience = app.audienceOf(request)
      if (!catalogue.isOpen(content_id, audience)) throw historyContentNotFound()
      const viewer = app.viewerOf(request)
      const progress = progressIn(content_id, request.body, catalogue, audience)
      // Undefined if the report is older than the removal of its element.
      const elementId = await reports.put(viewer.id, { content_id, progress })
      uptake.begin(viewer.id, content_id)
      reply.code(201)
      if (elementId) reply.header('location', `${settings.BASE_PATH}/history/${elementId}`)
      return done(201, 'The history element was saved')
    }
  )

  app.delete('', { schema: deleteSchema, ...forViewers }, async function clearHistory(request) {
    const { id } = app.viewerOf(request)
    await dismissals.removeUntil(id, await history.removeAll(id))
    return done(200, 'The history was removed')
  })
}
export default route
