import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done, Ok } from '../../../schemas/common.js'
import { HistoryElement, ProgressUpdate } from '../../../schemas/history.js'
import { HistoryId } from '../../../schemas/path-ids.js'
import { historyUpdateNotFound } from '../../../src/errors.js'
import { done } from '../../../src/http/reply.js'
import { needsContent, progressIn } from '../../../src/viewing/report-bodies.js'
import { historyElementBytes } from '../../../src/viewing/viewer-bytes.js'

const tags = ['History']
const security = [{ bearer: [] }]
const params = Type.Object({ watchedVideoId: HistoryId })

const getSchema = {
  summary: 'Get a history element',
  description: 'Returns a 403 for an element of another user.',
  tags,
  security,
  params,
  response: answers(Ok(HistoryElement), 401, 403, 404)
}
const putSchema = {
  summary: 'Update the progress of a history element',
  description:
    'Needs `time` or `percentage`, or both. The one that is not given stays as it is, except that `time` alone also sets the `percentage` of a content with a `duration`.',
  tags,
  security,
  params,
  body: ProgressUpdate,
  response: answers(Done, 401, 403, 404, 413)
}
const deleteSchema = {
  summary: 'Remove a history element',
  description: 'The next report for its content creates a new one.',
  tags,
  security,
  params,
  response: answers(Done, 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { history, reports } = app.data

  app.get('', { schema: getSchema, ...forViewers }, async function getHistoryElement(request, reply) {
    const element = await history.byId(app.viewerOf(request).id, request.params.watchedVideoId)
    return reply.json(await historyElementBytes(catalogue, element, app.audienceOf(request)))
  })

  app.put('', { schema: putSchema, ...forViewers }, async function updateHistoryElement(request) {
    const { body, params } = request
    const { id } = app.viewerOf(request)
    const audience = app.audienceOf(request)
    const contentId = needsContent(body, catalogue, audience) ? await reports.contentOf(id, params.watchedVideoId) : undefined
    const isSuited = catalogue.suitedTo(audience) ?? (() => true)
    if (contentId !== undefined && !isSuited(contentId)) throw historyUpdateNotFound()
    await reports.update(id, params.watchedVideoId, progressIn(contentId, body, catalogue, audience))
    return done(200, 'The history element was updated')
  })

  app.delete('', { schema: deleteSchema, ...forViewers }, async function deleteHistoryElement(request) {
    const isSuited = catalogue.suitedTo(app.audienceOf(request))
    await history.remove(app.viewerOf(request).id, request.params.watchedVideoId, isSuited)
    return done(200, 'The history element was removed')
  })
}
export default route
