import helmet from '@fastify/helmet'
import fastify from 'fastify'
import t from 'tap'
import { securityHeaders } from '../../plugins/security-headers.js'
import { build } from '../helpers/app.js'

const ofPages = [
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection'
]

/** Every header that helmet adds to an answer. */
const advised = async () => {
  const app = fastify()
  app.get('/bare', async () => '')
  await app.register(async scope => {
    await scope.register(helmet, {
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }
    })
    scope.get('/helmeted', async () => '')
  })
  const { headers: own } = await app.inject('/bare')
  const { headers } = await app.inject('/helmeted')
  return Object.entries(headers).filter(([name]) => !(name in own))
}

t.test('every header that helmet advises is sent, or is known to matter to pages alone', async t => {
  const all = await advised()
  t.strictSame(
    all.filter(([name]) => !ofPages.includes(name)),
    Object.entries(securityHeaders)
  )
  t.strictSame(
    ofPages.filter(page => !all.some(([name]) => name === page)),
    [],
    'every header of this list is one that helmet advises'
  )

  const app = await build(t)
  const { headers } = await app.inject('/health')
  t.strictSame(
    Object.entries(headers).filter(([name]) => name in securityHeaders),
    Object.entries(securityHeaders)
  )
})

t.test('every answer protects browsers, and does not reveal the software behind it', async t => {
  const app = await build(t)
  for (const url of ['/health', '/nothing', '/login', '/%', '/openapi.json', '/docs']) {
    const { headers } = await app.inject(url)
    t.equal(headers['x-content-type-options'], 'nosniff', url)
    t.match(headers['content-security-policy'], /default-src/, url)
    t.match(headers['strict-transport-security'], /max-age=\d+/, url)
    t.ok(headers['x-frame-options'] || /frame-ancestors/.test(String(headers['content-security-policy'])), url)
    t.strictSame([headers['x-powered-by'], headers.server], [undefined, undefined], url)
  }
})
