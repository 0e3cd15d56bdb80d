import fp from 'fastify-plugin'
import { erasuresKeptDays } from '../src/data/erasures.js'
import { hasProvider } from '../src/identity/token-settings.js'
import { poll } from '../src/poll.js'
import { sweepDue } from '../src/privacy/sweep.js'
import { days, minutes, seconds } from '../src/time.js'

/** Erased users stay refused this much longer than their tokens live, in case the clocks of processes differ. */
const margin = minutes(1)

/** Completes the erasures of users. Has a poll of its own, so that a long sweep does not delay the poll for newly erased users. */
export default fp(
  async app => {
    // How long the tokens of an identity provider live is unknown.
    const life = hasProvider(app.settings) ? days(erasuresKeptDays) : seconds(app.settings.ACCESS_TOKEN_TTL) + margin
    const closing = new AbortController()
    app.preparations.push(
      async () =>
        void poll(
          () => sweepDue(app.backgroundData, app.refusedUsers, life),
          closing.signal,
          err => app.log.warn({ err }, 'an erasure could not be completed, trying again every minute')
        )
    )
    app.addHook('onClose', async () => closing.abort())
  },
  { name: 'erasures', dependencies: ['settings', 'mongo', 'preparation', 'refused-users'] }
)
