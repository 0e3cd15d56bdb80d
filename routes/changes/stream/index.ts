import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewers } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { StreamHeaders, StreamQuery } from '../../../schemas/changes.js'
import { tooManyRequests, unavailable } from '../../../src/errors.js'
import { changesPage, readCursor, recentCursor, resettingCursor, SentChanges } from '../../../src/sync/index.js'

const eventStream = 'text/event-stream'

const schema = {
  summary: 'Follow what changes',
  description:
    'Sends server-sent events. The first is `ready`; its `id` is the cursor that the stream starts from. `changes` follows, usually within half a second of a write; its `id` is the next cursor, and its `data` is that of `GET /changes`. The last is `end`; its `data` gives the `reason`: `token`, `session`, `drain` or `slow`. Reconnect with the last `id`. An account can have ten streams per process; one more returns 429. Returns 404 if the operator has turned streams off.',
  tags: ['Changes'],
  security: [{ bearer: [] }],
  querystring: StreamQuery,
  headers: StreamHeaders,
  // OpenAPI 3.1 can describe the stream as a whole, but not its events.
  response: answers({ content: { [eventStream]: { schema: Type.Unknown() } } } as never, 401)
}

/** Per process. */
const streamsPerAccount = 10

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue, data, liveStreams, revocations, settings } = app

  const assertRoom = (account: number) => {
    const isFull = liveStreams.size >= settings.LIVE_STREAMS
    const hasMost = liveStreams.countOf(account) >= streamsPerAccount
    if (isFull || hasMost) app.countRefusal('streams')
    if (hasMost) throw tooManyRequests()
    if (isFull || liveStreams.isClosed) throw unavailable()
  }

  app.get('', { schema, ...forViewers }, async function streamChanges(request, reply) {
    const viewer = app.viewerOf(request)
    const audience = app.audienceOf(request)
    const { id: user } = viewer
    const { maxAge } = audience
    const { restoredAt } = revocations

    /** The cursor to start from without `since`, and the changes of the last minutes, which are not to be sent. */
    const readRecent = async () => {
      const known = new SentChanges()
      let cursor = recentCursor(user, maxAge)
      for (let more = true; more; ) {
        const page = await changesPage({ catalogue, data }, { user, audience, since: cursor, perPage: 500, restoredAt })
        known.unsentIn(page)
        ;({ cursor, more } = page)
      }
      return { cursor, known }
    }

    const withoutEvents = () => {
      reply.type(eventStream)
      return Readable.from([]) as never
    }
    if (request.method === 'HEAD') return withoutEvents()
    assertRoom(viewer.account)
    // Some libraries send an empty header when they have no cursor yet.
    const since = request.headers['last-event-id'] || request.query.since
    const isValid = since !== undefined && readCursor(since, { user, maxAge, restoredAt }) !== undefined
    const { cursor, known } =
      since === undefined ? await readRecent() : { cursor: isValid ? since : resettingCursor(user), known: undefined }
    assertRoom(viewer.account)
    // The deadline passed, and a 503 was sent.
    if (reply.sent) return reply as never
    // The caller has disconnected.
    if (reply.raw.destroyed) return withoutEvents()
    reply.hijack()
    // Without chunked encoding, a heartbeat is a single write, which halves the cost of an idle stream. The connection closes at the end
    // anyway, so that callers reconnect through the load balancer.
    reply.raw.removeHeader('transfer-encoding')
    // `x-accel-buffering` stops nginx from buffering.
    const head = { ...reply.getHeaders(), 'content-type': eventStream, 'x-accel-buffering': 'no', connection: 'close' }
    reply.raw.writeHead(200, head as never)
    app.logAnswer(request, reply)
    liveStreams.begin({ viewer, audience }, reply.raw, cursor, known)
    return reply as never
  })
}
export default route
