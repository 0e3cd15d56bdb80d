import fp from 'fastify-plugin'

/** Helmet's headers that make sense for JSON, with a stricter CSP. A test fails when helmet adds one (docs/decisions/028). */
export const securityHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN'
}

export default fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(securityHeaders)
      done()
    })
  },
  { name: 'security-headers' }
)
