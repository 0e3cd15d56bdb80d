import fp from 'fastify-plugin'
import { erasuresKeptDays } from '../src/data/erasures.js'
import { RefusedUsers } from '../src/identity/refused-users.js'
import { hasProvider } from '../src/identity/token-settings.js'
import { poll } from '../src/poll.js'
import { sweepDue } from '../src/privacy/sweep.js'
import { days, minutes, seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    refusedUsers: RefusedUsers
  }
}

/** Processes refuse the tokens of erased users a little longer than they live. */
const margin = minutes(1)

/** Learns which users were disabled or erased, so that no request asks the database, and completes the erasures. */
export default fp(
  async app => {
    // How long the tokens of an identity provider live is unknown.
    const life = hasProvider(app.settings) ? days(erasuresKeptDays) : seconds(app.settings.ACCESS_TOKEN_TTL) + margin
    const refused = new RefusedUsers(app.backgroundData)
    app.decorate('refusedUsers', refused)
    app.follow('disabled and erased users', () => refused.refresh())

    // Polled on its own, because a long sweep must not delay learning what other processes have erased.
    const closing = new AbortController()
    app.preparations.push(
      async () =>
        void poll(
          () => sweepDue(app.backgroundData, refused, life),
          closing.signal,
          err => app.log.warn({ err }, 'an erasure could not be completed, trying again every minute')
        )
    )
    app.addHook('onClose', async () => closing.abort())
  },
  { name: 'refused-users', dependencies: ['settings', 'mongo'] }
)
