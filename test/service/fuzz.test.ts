import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import t from 'tap'
import { buildWith, password, signIn } from '../helpers/app.js'
import { content, legal, programme, rail, railCollection, supportText, term } from '../helpers/documents.js'
import { dereferenced, endless, type Schema } from '../helpers/openapi.js'

/** Requests for each operation. The long form: FUZZ_RUNS=5000 npx tap built/test/service/fuzz.test.js --disable-coverage; FUZZ_SEED repeats a run. */
const runs = Number(process.env.FUZZ_RUNS ?? 40)
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)

/** What may stand in an address as it is. */
const inAddress = (text: string) => encodeURIComponent(text.toWellFormed())

const ids = fc.constantFrom(
  '1',
  '2',
  '3',
  '999',
  '6543210fedcba9876543210f',
  '6543210fedcba9876543210fe',
  '9007199254740993',
  '0',
  '-1',
  '01'
)
const junk = fc.oneof(
  fc.string({ maxLength: 20 }).map(inAddress),
  fc.string({ unit: 'binary', maxLength: 10 }).map(inAddress),
  fc.constantFrom(
    '%00',
    '%',
    '%zz',
    '%C3%28',
    '%ff',
    '..',
    '%2e%2e%2f',
    '[$ne]',
    '%24where',
    '__proto__',
    'constructor',
    'null',
    'NaN',
    '1e400',
    '+5'
  ),
  fc.constantFrom('x'.repeat(200), '9'.repeat(400), '%F0%9F%98%80', '%E2%80%AE', 'a,b,,c', '2026-01-31T20:15:00Z', 'ASC', 'rails', 'de-DE')
)
const given = ({ type, enum: choices, items }: Schema): fc.Arbitrary<string> => {
  if (choices) return fc.constantFrom(...choices.map(String))
  if (items) return fc.array(given(items), { minLength: 1, maxLength: 3 }).map(values => values.join())
  return type === 'integer'
    ? fc.integer({ min: 1, max: 120 }).map(String)
    : fc.constantFrom('show', 'content', 'name', 'en', '2026-01-31T20:15:00Z')
}

const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ withNullPrototype: false }),
  fc.constantFrom<unknown>(
    null,
    true,
    [],
    {},
    '',
    2 ** 53 + 1,
    -0,
    1e308,
    '5',
    [5],
    { $gt: '' },
    { $where: 'sleep(1000)' },
    '\u0000',
    '\ud800',
    '\u202e'
  )
)
const bodyValue = ({ type, properties }: Schema): fc.Arbitrary<unknown> => {
  if (properties) return bodyOf({ properties })
  if (type === 'integer') return fc.constantFrom(1, 2, 3, 999)
  if (type === 'number') return fc.double({ min: 0, max: 100, noNaN: true })
  return fc.constantFrom('2026-01-31T20:15:00Z', 'ada@example.com', password, 'x')
}
const bodyOf = ({ properties = {} }: Schema) =>
  fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, fc.oneof({ weight: 4, arbitrary: bodyValue(schema) }, anyJson)])
    ),
    { requiredKeys: [] }
  )

/** JSON as hostile callers write it: what JSON.stringify would never make. */
const hostileBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map(bytes => Buffer.from(bytes)),
  fc
    .constantFrom(
      ...[
        '',
        '{',
        '{"a":1,}',
        '{"content_id":1e400}',
        '{"content_id":1,"content_id":2}',
        '{"__proto__":{"content_id":1}}',
        '\ufeff{"content_id":1}'
      ],
      ...[
        '{"content_id":9007199254740993}',
        '{"content_id":1,"time":-0.0}',
        '{"constructor":{"prototype":{}},"content_id":1}',
        'NaN',
        '"\\ud800"'
      ],
      ...[
        '['.repeat(30_000),
        `{"a":${'{"a":'.repeat(5000)}1${'}'.repeat(5001)}`,
        `"${'x'.repeat(66_000)}"`,
        '\u0000',
        '{"content_id":1}\u0000'
      ]
    )
    .map(text => Buffer.from(text))
)

const bodies = (schema: Schema) =>
  fc.oneof(
    { weight: 3, arbitrary: bodyOf(schema).map(body => Buffer.from(JSON.stringify(body) ?? '')) },
    { weight: 1, arbitrary: anyJson.map(body => Buffer.from(safeText(body))) },
    { weight: 1, arbitrary: hostileBytes }
  )
const safeText = (value: unknown) => {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return 'BigInt'
  }
}

const headerText = fc.string({
  unit: fc
    .integer({ min: 32, max: 255 })
    .filter(code => code !== 127)
    .map(code => String.fromCharCode(code)),
  maxLength: 40
})

t.test(`any input has a documented answer (FUZZ_SEED=${seed})`, async t => {
  const app = await buildWith(
    t,
    {
      contents: [content(1), content(2, { parent_id: 1, type: 'episode' }), content(3, { deleted_at: new Date() })],
      terms: [term(1)],
      rail_collections: [railCollection(1, { type: 'show' }, { rails: [rail(1, { type: 'show' })] })],
      legal_documents: [legal('en')],
      support_texts: [supportText(1, 'en')],
      programmes: [programme(1, 1, '2026-01-31T20:00:00Z', '2026-01-31T21:00:00Z')]
    },
    { settings: { LOGIN_LIMIT: '0' } }
  )
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const { authorization } = await signIn(app)
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  t.teardown(() => agent.destroy())

  const document = dereferenced((await app.inject('/openapi.json')).json())
  const ajv = addFormats.default(new Ajv2020.default({ strict: false, allErrors: true }))
  const { Failure, Invalid, Unauthenticated } = document.components.schemas
  const failure = ajv.compile({ anyOf: [Failure, Invalid, Unauthenticated] })

  const ask = async (method: string, path: string, headers: Record<string, string>, body: Buffer | undefined) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port,
      method,
      path,
      agent,
      headers: { ...headers, ...(body && { 'content-length': body.length }) }
    })
    request.end(body)
    const [response] = await once(request, 'response')
    let text = ''
    for await (const chunk of response.setEncoding('utf8')) text += chunk
    return { status: response.statusCode as number, type: String(response.headers['content-type']), text }
  }

  for (const [template, operations] of Object.entries(document.paths).filter(([path]) => path !== endless)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(operations)) {
      const wanted = parameters.filter(({ in: place }) => place === 'query')
      const parts = template.split('/').map(part => (part.startsWith('{') ? fc.oneof(ids, junk) : fc.constant(part)))
      const input = fc.record({
        path: fc.tuple(...parts).map(parts => parts.join('/')),
        query: fc.array(
          fc.oneof(
            ...wanted.map(({ name, schema }) => fc.oneof({ weight: 3, arbitrary: given(schema) }, junk).map(value => `${name}=${value}`)),
            fc.tuple(junk, junk).map(pair => pair.join('='))
          ),
          { maxLength: 3 }
        ),
        token: fc.oneof({ weight: 5, arbitrary: fc.constant(authorization) }, fc.constantFrom('', 'Bearer', 'Bearer a.b.c'), headerText),
        language: headerText,
        etag: headerText,
        body: requestBody ? bodies(requestBody.content['application/json'].schema) : fc.option(hostileBytes, { nil: undefined })
      })

      t.test(`${method.toUpperCase()} ${template}`, async t => {
        const slow = template.startsWith('/login')
        const property = fc.asyncProperty(input, async ({ path, query, token, language, etag, body }) => {
          const address = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
          const headers = { 'accept-language': language, 'if-none-match': etag, ...(token && { authorization: token }) }
          const { status, type, text } = await ask(method.toUpperCase(), address, headers, body)
          const seen = `${method} ${address} ${JSON.stringify(headers)} ${body?.toString('latin1').slice(0, 300)}: ${status} ${text.slice(0, 500)}`
          if (status >= 500) throw new Error(seen)
          if (status === 304 || (status >= 200 && status < 300 && !responses[status]?.content)) return
          if (responses[status]?.content?.['text/plain'] && type?.startsWith('text/plain')) return
          if (type !== 'application/json; charset=utf-8') throw new Error(`${type}: ${seen}`)
          const { schema } = responses[status]?.content?.['application/json'] ?? {}
          const fits = schema ? ajv.compile(schema) : failure
          if (!fits(JSON.parse(text))) throw new Error(`${JSON.stringify(fits.errors)}: ${seen}`)
        })
        await t.resolves(fc.assert(property, { seed, numRuns: slow ? Math.ceil(runs / 8) : runs, endOnFailure: true }))
      })
    }
  }
})
