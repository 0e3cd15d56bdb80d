import fp from 'fastify-plugin'
import { follow } from '../src/follow.js'
import { DisabledUsers } from '../src/identity/disabled-users.js'

/** Takes the tokens of disabled users for none, without asking the database for each. */
export default fp(
  async app => {
    const disabled = new DisabledUsers(app.backgroundData)
    const closing = new AbortController()
    app.preparations.push(() => disabled.refresh())
    void app.started.then(() =>
      follow(
        () => disabled.refresh(),
        closing.signal,
        err => app.log.warn({ err }, 'could not read who is disabled, trying again every second')
      )
    )
    app.addHook('onClose', async () => closing.abort())

    app.addHook('onRequest', (request, _reply, done) => {
      if (request.viewer && disabled.has(request.viewer.id)) request.viewer = null
      done()
    })
  },
  { name: 'disabled-users', dependencies: ['authentication', 'mongo'] }
)
