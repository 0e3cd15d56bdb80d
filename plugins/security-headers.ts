import helmet from '@fastify/helmet'
import fastify from 'fastify'
import fp from 'fastify-plugin'

/** Without those that only a page could need: what the service sends is JSON. */
const options = {
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  dnsPrefetchControl: false,
  ieNoOpen: false,
  permittedCrossDomainPolicies: false,
  xssFilter: false
}

/** What helmet says, asked once: it works its headers out anew for every request, which costs more than all other hooks together. */
const headersOfHelmet = async () => {
  const bare = fastify()
  bare.get('/', async () => '')
  const { headers: own } = await bare.inject('/')
  const helmeted = fastify()
  await helmeted.register(helmet, options)
  helmeted.get('/', async () => '')
  const { headers } = await helmeted.inject('/')
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !(name in own)))
}

export default fp(
  async app => {
    const headers = await headersOfHelmet()
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(headers)
      done()
    })
  },
  { name: 'security-headers' }
)
