import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { maxReports, ProgressReports, SavedReports } from '../../../schemas/history.js'
import { done } from '../../../src/http/reply.js'
import { readReports } from '../../../src/viewing/report-bodies.js'

const schema = {
  summary: 'Report the progress of many contents',
  description: `For reports that a device kept while it was offline: 1 to ${maxReports}. Each counts as in POST /history. Reports that POST /history would refuse are refused individually, and the others are saved.`,
  tags: ['History'],
  security: [{ bearer: [] }],
  body: ProgressReports,
  response: answers(SavedReports, 401, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, uptake } = app

  app.post('', { schema, ...forViewers }, async function reportManyProgresses(request) {
    const { id } = app.viewerOf(request)
    const { reports, refused } = readReports(request.body.reports, catalogue, app.audienceOf(request))
    await data.reports.putAll(id, reports)
    for (const { content_id } of reports) uptake.begin(id, content_id)
    return { ...done(200, 'The reports were saved'), data: { saved: reports.length, refused } }
  })
}
export default route
