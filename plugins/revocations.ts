import fp from 'fastify-plugin'
import { Revocations } from '../src/identity/revocations.js'
import { hasProvider } from '../src/identity/secrets.js'
import { gauge } from '../src/metrics/instruments.js'
import { sweepDue } from '../src/privacy/erase.js'
import { erasuresKeptDays } from '../src/privacy/erasures.js'
import { days, minutes, seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    revocations: Revocations
  }
}

/** Erased users are refused for this much longer than their tokens live, in case the clocks of processes differ. */
const margin = minutes(1)

/** Learns what was revoked after tokens were issued, and completes the erasures of users. */
export default fp(
  async app => {
    const { pollData, jobData, endedSessions, settings } = app
    const revocations = new Revocations(pollData, endedSessions)
    app.decorate('revocations', revocations)
    app.follow('the refused users and age limits could not be read, trying again every second', () => revocations.refresh())
    app.follow('the ended sessions could not be read, trying again every second', () => endedSessions.refresh(pollData.sessions))
    gauge(
      app.metrics,
      'ended_sessions',
      'Ended sessions in memory: those whose access tokens have not all expired',
      () => endedSessions.size
    )

    // How long the tokens of an identity provider live is unknown.
    const life = hasProvider(settings) ? days(erasuresKeptDays) : seconds(settings.ACCESS_TOKEN_TTL) + margin
    // A poll of its own, so that a long sweep does not delay reading which users were erased.
    app.follow('an erasure could not be completed, trying again every minute', () => sweepDue(jobData, revocations, life), {
      first: async () => undefined
    })
  },
  { name: 'revocations', dependencies: ['metrics', 'mongo', 'preparation'] }
)
