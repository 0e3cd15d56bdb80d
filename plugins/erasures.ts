import fp from 'fastify-plugin'
import { erasuresKeptDays } from '../src/data/erasures.js'
import { ErasedUsers } from '../src/identity/erased-users.js'
import { poll } from '../src/poll.js'
import { sweepDue } from '../src/privacy/sweep.js'
import { days, minutes, seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    erasedUsers: ErasedUsers
  }
}

/** Processes refuse the tokens of erased users a little longer than they live. */
const margin = minutes(1)

/** Learns which users were erased, so that no request asks the database, and completes their erasures. */
export default fp(
  async app => {
    const { JWT_SECRET, ACCESS_TOKEN_TTL } = app.settings
    // How long the tokens of an identity provider live is unknown.
    const life = JWT_SECRET === undefined ? days(erasuresKeptDays) : seconds(ACCESS_TOKEN_TTL) + margin
    const erased = new ErasedUsers(app.backgroundData)
    app.decorate('erasedUsers', erased)

    const closing = new AbortController()
    app.preparations.push(async () => {
      await erased.refresh()
      void poll(
        () => erased.refresh(),
        closing.signal,
        err => app.log.warn({ err }, 'the erased users could not be read, trying again every second')
      )
      // On its own, because a long sweep must not delay what other processes have erased.
      void poll(
        () => sweepDue(app.backgroundData, erased, life),
        closing.signal,
        err => app.log.warn({ err }, 'an erasure could not be completed, trying again every minute')
      )
    })
    app.addHook('onClose', async () => closing.abort())
  },
  { name: 'erasures', dependencies: ['settings', 'mongo'] }
)
