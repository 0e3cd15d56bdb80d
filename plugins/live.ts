import fp from 'fastify-plugin'
import { counter, gauge } from '../src/metrics/instruments.js'
import { changesPage, LiveStreams, NudgeReader, streamEnds } from '../src/sync/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    liveStreams: LiveStreams
  }
}

/** In milliseconds. */
const readEvery = 250
/** Changes per event. */
const perPage = 100

/** The streams of changes (docs/decisions/042). */
export default fp(
  async app => {
    const { pollData, catalogue, data, log, metrics, nudger, revocations } = app
    const help = 'Streams of changes that have ended, by reason: token, session, drain, slow reader, or disconnect'
    const ends = counter(metrics, 'event_streams_ended_total', help, ['reason'])
    for (const reason of streamEnds) ends.inc({ reason }, 0)
    const live = new LiveStreams({
      read: ({ viewer, audience }, since, hasNews) => {
        const question = { user: viewer.id, audience, since, perPage, restoredAt: revocations.restoredAt, hasNews }
        return app.readForViewer({ spentMs: 0, viewer }, () => changesPage({ catalogue, data }, question))
      },
      recheck: viewer => revocations.unlessRevoked(viewer),
      onEnd: reason => ends.inc({ reason }),
      onFault: err => log.error({ err }, 'a stream of changes failed')
    })
    app.decorate('liveStreams', live)
    gauge(metrics, 'event_streams_open', 'Open streams of changes', () => live.size)

    nudger.onNote = live.nudge
    let reader: NudgeReader | undefined
    let { restoredAt } = revocations
    const readNudges = async () => {
      if (live.size === 0) {
        reader = undefined
        return
      }
      reader ??= new NudgeReader(pollData.nudges, nudger.from)
      const nudged = await reader.read()
      live.nudge(restoredAt === revocations.restoredAt ? nudged : 'everybody')
      restoredAt = revocations.restoredAt
    }
    app.follow('the nudges for streams of changes could not be read, trying again', readNudges, { every: readEvery })

    app.onDrain.push(milliseconds => void live.drain(milliseconds))
    app.addHook('preClose', async () => live.close())
  },
  { name: 'live', dependencies: ['metrics', 'mongo', 'preparation', 'catalogue', 'revocations', 'admission', 'drain'] }
)
