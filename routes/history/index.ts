import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers, createdAnswers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import {
  HistoryElement,
  HistoryQuery,
  MarkedContents,
  maxMarked,
  maxReports,
  ProgressReport,
  ProgressReports,
  ProgressUpdate,
  SavedReports,
  WatchedMark
} from '../../schemas/history.js'
import { Page } from '../../schemas/page.js'
import { HistoryId } from '../../schemas/path-ids.js'
import { storedIdsOf } from '../../src/catalogue/contents.js'
import { historyContentIdMissing, historyContentNotFound, historyUpdateNotFound } from '../../src/errors.js'
import { done, pageMeta } from '../../src/http/reply.js'
import { refuseMissingContentId } from '../../src/http/requests.js'
import { endOf, markedBy, needsContent, progressIn, readReports, reportOf, withEarlierIds } from '../../src/viewing/report-bodies.js'
import { historyElementBytes, historyPageBytes } from '../../src/viewing/viewer-bytes.js'

const shared = { tags: ['History'], security: [{ bearer: [] }] }
const params = Type.Object({ watchedVideoId: HistoryId })

const listSchema = {
  ...shared,
  summary: 'List what the user has watched',
  description: 'Most recently watched first.',
  querystring: HistoryQuery,
  response: answers(Page(HistoryElement), 401)
}
const postSchema = {
  ...shared,
  summary: 'Report playback progress',
  description:
    "Creates or updates the user's history element of this item, and returns 201 in both cases. `time` alone also sets the `percentage` of an item with a `duration`. A missing field keeps its value, or is 0 in a new element. With `observed_at`, a report can be sent late, and more than once. `Location` is the path of the element. It is missing if the element was removed after `observed_at`.",
  body: ProgressReport,
  response: createdAnswers(Done, 401, 413)
}
const clearSchema = {
  ...shared,
  summary: 'Clear the history',
  description: 'Removes all of its elements.',
  response: answers(Done, 401, 413)
}
const getSchema = {
  ...shared,
  summary: 'Get a history element',
  description: 'Returns 403 for an element of another user.',
  params,
  response: answers(Ok(HistoryElement), 401, 403, 404)
}
const putSchema = {
  ...shared,
  summary: 'Update the progress of a history element',
  description:
    'Requires `time` or `percentage`, or both. A missing field keeps its value, except that `time` alone also sets the `percentage` of an item with a `duration`.',
  params,
  body: ProgressUpdate,
  response: answers(Done, 401, 403, 404, 413)
}
const deleteSchema = {
  ...shared,
  summary: 'Remove a history element',
  description: 'The next report of the same item creates a new element.',
  params,
  response: answers(Done, 401, 403, 404, 413)
}
const batchSchema = {
  ...shared,
  summary: 'Send several progress reports',
  description: `Takes 1 to ${maxReports} reports, for example those that a device kept while it was offline. Each is handled as in POST /history. Reports that POST /history would refuse are listed in \`refused\`, with the \`code\` and \`message\` that it would return. The others are saved. Returns 200 even if all are refused.`,
  body: ProgressReports,
  response: answers(SavedReports, 401, 413)
}
const watchedSchema = {
  ...shared,
  summary: 'Mark as watched or unwatched',
  description: `Marks an item, all available episodes of a show or season, or with \`up_to\` an episode and those before it. Marking as watched completes what is not completed, as a report made now would, and sets \`time\` to the \`duration\` if that is known. Marking as unwatched sets \`time\`, \`percentage\` and \`plays\` to 0 and adds no elements. Returns a 400 for what POST /history would refuse, for a show without open episodes, and for more than ${maxMarked} episodes.`,
  body: WatchedMark,
  response: answers(MarkedContents, 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, settings, uptake } = app
  const { history, reports, marks, dismissals } = app.data

  app.get('', { schema: listSchema, ...forViewers }, async function listHistory(request, reply) {
    const { query } = request
    const isShown = catalogue.ageFilterFor(app.audienceOf(request))
    const storedIds = storedIdsOf(catalogue, query)
    const { elements, total } = await history.list(app.viewerOf(request).id, { ...query, content_id: storedIds }, isShown)
    return reply.json(await historyPageBytes(catalogue, elements, pageMeta(query, total)))
  })

  app.post(
    '',
    { schema: postSchema, ...forViewers, preValidation: refuseMissingContentId(historyContentIdMissing) },
    async function reportProgress(request, reply) {
      const report = reportOf(request.body, catalogue, app.audienceOf(request))
      if (!report) throw historyContentNotFound()
      const viewer = app.viewerOf(request)
      // `reports` caches the id of the item for a later PUT, as long as no item replaces another.
      const elementId = await reports.put(viewer.id, report, catalogue.skeleton.idsVersion)
      // Counts recommended titles that viewers begin.
      uptake.begin(viewer.id, report)
      reply.code(201)
      // There is no element if it was removed after the report was observed.
      if (elementId) reply.header('location', `${settings.BASE_PATH}/history/${elementId}`)
      return done(201, 'The history element was saved')
    }
  )

  app.delete('', { schema: clearSchema, ...forViewers }, async function clearHistory(request) {
    const { id } = app.viewerOf(request)
    await dismissals.removeUntil(id, await history.removeAll(id))
    return done(200, 'The history was removed')
  })

  app.get('/:watchedVideoId', { schema: getSchema, ...forViewers }, async function getHistoryElement(request, reply) {
    const element = await history.byId(app.viewerOf(request).id, request.params.watchedVideoId)
    return reply.json(await historyElementBytes(catalogue, element, app.audienceOf(request)))
  })

  app.put('/:watchedVideoId', { schema: putSchema, ...forViewers }, async function updateHistoryElement(request) {
    const { body, params } = request
    const { id } = app.viewerOf(request)
    const audience = app.audienceOf(request)
    const stored = needsContent(body, catalogue, audience)
      ? await reports.contentOf(id, params.watchedVideoId, catalogue.skeleton.idsVersion)
      : undefined
    const contentId = stored === undefined ? undefined : catalogue.skeleton.currentId(stored)
    const isShown = catalogue.ageFilterFor(audience) ?? (() => true)
    // If the profile has an age limit, `contentId` is always known.
    if (contentId !== undefined && !isShown(contentId)) throw historyUpdateNotFound()
    await reports.update(id, params.watchedVideoId, progressIn(contentId, body, catalogue, audience))
    return done(200, 'The history element was updated')
  })

  app.delete('/:watchedVideoId', { schema: deleteSchema, ...forViewers }, async function deleteHistoryElement(request) {
    const isShown = catalogue.ageFilterFor(app.audienceOf(request))
    await history.remove(app.viewerOf(request).id, request.params.watchedVideoId, isShown)
    return done(200, 'The history element was removed')
  })

  app.post('/batch', { schema: batchSchema, ...forViewers }, async function reportManyProgresses(request) {
    const { id } = app.viewerOf(request)
    const { reports: read, refused } = readReports(request.body.reports, catalogue, app.audienceOf(request))
    await reports.putAll(id, read)
    for (const report of read) uptake.begin(id, report)
    return { ...done(200, 'The reports were saved'), data: { saved: read.length, refused } }
  })

  app.post(
    '/watched',
    { schema: watchedSchema, ...forViewers, preValidation: refuseMissingContentId(historyContentIdMissing) },
    async function markWatched(request) {
      const { id } = app.viewerOf(request)
      const contents = markedBy(request.body, catalogue, app.audienceOf(request))
      const changed = await (request.body.watched
        ? marks.watched(
            id,
            contents.map(one => endOf(one, catalogue))
          )
        : marks.unwatched(
            id,
            contents.map(one => withEarlierIds(one, catalogue))
          ))
      return { ...done(200, 'The history was marked'), data: { changed } }
    }
  )
}
export default route
