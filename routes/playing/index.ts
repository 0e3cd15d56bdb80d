import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done } from '../../schemas/common.js'
import { Playing, StoppedQuery } from '../../schemas/playing.js'
import { contentIdMissing, givenContentNotFound } from '../../src/errors.js'
import { done } from '../../src/http/reply.js'
import { refuseMissingContentId } from '../../src/http/requests.js'
import type { Viewer } from '../../src/identity/tokens.js'
import type { Player } from '../../src/viewing/playing.js'

const tags = ['Playing']
const security = [{ bearer: [] }]

const postSchema = {
  summary: 'Start or continue playing',
  description:
    'Players send this when they start, and then every 30 seconds. 409 means that the account is already playing on as many other devices as it may, and names them; stop playing. After 408, 429, 503 or no response, keep playing. Errors of `content_id` are those of POST /watchlist. If the operator sets no limit, never returns 409 and stores nothing.',
  tags,
  security,
  body: Playing,
  response: answers(Done, 401, 409, 413)
}
const deleteSchema = {
  summary: 'Stop playing',
  description:
    'Lets another device start immediately. Otherwise, a stream ends 60 seconds after its last heartbeat, or with its session. Returns 200 even if nothing is playing.',
  tags,
  security,
  querystring: StoppedQuery,
  response: answers(Done, 401, 413)
}

const playerOf = ({ id, sid }: Viewer, device = ''): Player =>
  // Well-formed, because the database replaces lone surrogates.
  sid === undefined ? { user_id: id, device: device.toWellFormed() || null } : { sid }

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { MAX_STREAMS } = app.settings
  const { playing } = app.data
  const isLimited = MAX_STREAMS > 0

  app.post(
    '',
    { schema: postSchema, ...forViewers, preValidation: refuseMissingContentId(contentIdMissing) },
    async function play(request) {
      const { content_id, device } = request.body
      if (catalogue.availableId(content_id, app.audienceOf(request)) === undefined) throw givenContentNotFound()
      const viewer = app.viewerOf(request)
      if (isLimited) await playing.start(viewer.account, playerOf(viewer, device), MAX_STREAMS)
      return done(200, 'The device may play')
    }
  )

  app.delete('', { schema: deleteSchema, ...forViewers }, async function stopPlaying(request) {
    const viewer = app.viewerOf(request)
    if (isLimited) await playing.stop(viewer.account, playerOf(viewer, request.query.device))
    return done(200, 'The device has stopped playing')
  })
}
export default route
