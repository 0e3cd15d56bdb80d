import fp from 'fastify-plugin'
import { withoutPorts } from '../src/http/addresses.js'

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']

/** Reads the addresses of a chain of proxies without their ports; where no proxy is trusted, warns of the first such header. */
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
    let warned = false
    app.addHook('onRequest', ({ headers, log, id }, _reply, done) => {
      if (!warned && forwarded.some(name => headers[name] !== undefined)) {
        warned = true
        log.warn({ reqId: id }, 'A request carries forwarded headers, which count for nothing: set TRUST_PROXY if a proxy stands in front')
      }
      done()
    })
  },
  { name: 'forwarded-headers', dependencies: ['settings'] }
)
