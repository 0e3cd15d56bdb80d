import fp from 'fastify-plugin'
import { withoutPorts } from '../src/http/addresses.js'

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/** Strips the ports from `X-Forwarded-For`. If no proxy is trusted, warns about the first forwarded header instead. */
export default fp(
  async app => {
    if (app.settings.TRUST_PROXY !== '') {
      app.addHook('onRequest', ({ headers }, _reply, done) => {
        const chain = headers['x-forwarded-for']
        if (typeof chain === 'string') headers['x-forwarded-for'] = withoutPorts(chain)
        done()
      })
      return
    }
    let hasWarned = false
    app.addHook('onRequest', ({ headers, log, id }, _reply, done) => {
      if (!hasWarned && forwarded.some(name => headers[name] !== undefined)) {
        hasWarned = true
        log.warn({ reqId: id }, 'ignored the forwarded headers of a request: set TRUST_PROXY if the service runs behind a proxy')
      }
      done()
    })
  },
  { name: 'forwarded-headers', dependencies: ['settings'] }
)
