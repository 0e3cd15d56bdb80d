import fp from 'fastify-plugin'
import { DisabledUsers } from '../src/identity/disabled-users.js'
import { poll } from '../src/poll.js'

/** Ignores the tokens of disabled and erased users. Their ids are kept in memory, so that no request asks the database. */
export default fp(
  async app => {
    const disabled = new DisabledUsers(app.backgroundData)
    const closing = new AbortController()
    app.preparations.push(async () => {
      await disabled.refresh()
      void poll(
        () => disabled.refresh(),
        closing.signal,
        err => app.log.warn({ err }, 'the disabled users could not be read, trying again every second')
      )
    })
    app.addHook('onClose', async () => closing.abort())

    app.addHook('onRequest', (request, _reply, done) => {
      const { viewer } = request
      if (viewer && (disabled.has(viewer.id) || app.erasedUsers.has(viewer.id))) request.viewer = null
      done()
    })
  },
  { name: 'disabled-users', dependencies: ['authentication', 'mongo', 'erasures'] }
)
