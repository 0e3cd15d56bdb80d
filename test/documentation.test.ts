import { runInNewContext } from 'node:vm'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import { keepSignIn } from '../plugins/documentation.js'
import { type App, addUser, beginSession, build, buildWith, password, signIn } from './helpers/app.js'
import { content, legal, programme, rail, railCollection, supportText, term } from './helpers/documents.js'
import { committedText, type Document, dereferenced, type Operation, type Parameter, type Schema } from './helpers/openapi.js'

const text = await committedText()
const document: Document = JSON.parse(text)
const { components } = document

t.test('the OpenAPI document', async t => {
  /** A schema that lets no field pass that it does not name. */
  const closed = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(closed)
    if (typeof node !== 'object' || node === null) return node
    const parts = Object.entries(node).map(([key, part]) => [key, closed(part)])
    return { ...('properties' in node && { additionalProperties: false }), ...Object.fromEntries(parts) }
  }

  const committed = async () => JSON.parse(await committedText())

  const hours = (count: number) => new Date(Date.now() + count * 3_600_000).toISOString()

  const seed = () => ({
    contents: [
      content(1, { replaces: [40404] }),
      content(2, { type: 'film', plans: { a: { id: 'a', vendor_name: 'A' } }, pricing: { a: [1] }, price: 1.5 }),
      content(3, { type: 'film' })
    ],
    terms: [term(1)],
    rail_collections: [railCollection(1, { type: 'show' }, { rails: [rail(1, { type: 'show' })] })],
    legal_documents: [legal('en')],
    support_texts: [supportText(1, 'en')],
    programmes: [programme(1, 1, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'), programme(2, 1, hours(-1), hours(1))]
  })

  t.test('the OpenAPI document', async t => {
    const app = await buildWith(t, seed(), { settings: { PUBLIC_URL: 'http://localhost:3000' } })
    const document = dereferenced(await committed())
    const exact = dereferenced(app.exactDocument())

    t.test('that is committed is the one of the app', async t => {
      t.strictSame(
        await committed(),
        JSON.parse(JSON.stringify(app.swagger())),
        'openapi.json is outdated: run `npm run openapi`, then `npm run compile`'
      )
      t.strictSame((await app.inject('/openapi.json')).json(), await committed())
    })

    t.test('is valid', async t => {
      const result = await new Validator().validate({ ...(await committed()) })
      t.ok(result.valid, JSON.stringify(result.errors))
    })

    t.test('names every operation of the catalogue', async t => {
      const paths = ['/contents', '/contents/{contentId}', '/terms', '/terms/{termId}', '/rail-collections', '/schedule', '/schedule/now']
      for (const path of [...paths, '/legal', '/legal/{languageCode}', '/support/context/{context}/texts', '/login'])
        t.ok(document.paths[path], `${path} of ${Object.keys(document.paths).join(' ')}`)
    })

    t.test('has paths as OpenAPI has them: each parameter declared, none optional', async t => {
      for (const [path, operations] of Object.entries(document.paths)) {
        t.match(path, /^(\/([\w.-]+|\{\w+\})?)+$/)
        const wanted = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()
        for (const [method, { parameters = [] }] of Object.entries(operations)) {
          const declared = parameters.filter(parameter => parameter.in === 'path')
          t.strictSame(declared.map(({ name }) => name).sort(), wanted, `${method} ${path}`)
          t.ok(declared.every(({ required }) => required))
        }
      }
    })

    t.test('requires no parameter that has a default', async t => {
      const all = Object.values(document.paths).flatMap(operations =>
        Object.values(operations).flatMap(({ parameters = [] }) => parameters)
      )
      const defaults = all.filter(({ schema }) => schema.default !== undefined)
      t.ok(defaults.some(({ name }) => name === 'perPage'))
      for (const { name, required } of defaults) t.notOk(required, name)
    })

    const ajv = addFormats.default(new Ajv2020.default({ strict: false, allErrors: true }))

    t.test('shows an answer for every operation, as its schema has it', async t => {
      for (const [path, operations] of Object.entries(document.paths)) {
        for (const [method, { responses }] of Object.entries(operations)) {
          const [status = ''] = Object.keys(responses).filter(status => status < '300')
          const { example } = responses[status]?.content?.['application/json'] ?? {}
          if (['/metrics', '/changes/stream'].includes(path)) continue
          const validate = ajv.compile(responses[status]?.content?.['application/json']?.schema ?? false)
          t.ok(validate(example), `${method} ${path}: ${JSON.stringify(validate.errors)}`)
        }
      }
    })

    t.test('gives each operation a name of its own, a tag that is explained and the statuses that any may have', async t => {
      const operations = Object.values(document.paths).flatMap(operations => Object.values(operations))
      const names = operations.map(({ operationId }) => operationId)
      t.strictSame([...new Set(names)], names)
      t.notOk(names.includes(''))
      const explained = document.tags.map(({ name }) => name)
      for (const { operationId, tags, responses } of operations) {
        for (const tag of tags) t.ok(explained.includes(tag), `src/documentation/texts.ts explains the tag ${tag} of ${operationId}`)
        for (const status of ['400', '405', '500'])
          t.match(responses[status], { headers: { 'x-request-id': {} } }, `${operationId} ${status}`)
      }
      t.match(document.paths['/terms']?.get?.responses, { 200: { headers: { ETag: {} } }, 503: { headers: { 'Retry-After': {} } } })
      t.match(document.paths['/history']?.post?.responses, { 201: { headers: { Location: {} } } })
    })

    t.test('a parameter that is a list says that its values are separated by commas', async t => {
      const all = Object.values(document.paths).flatMap(operations =>
        Object.values(operations).flatMap(({ parameters = [] }) => parameters)
      )
      const lists = all.filter(({ schema }) => schema.type === 'array')
      t.equal(lists.length, 16)
      for (const list of lists) t.match(list, { name: String, style: 'form', explode: false })
    })

    type Response = Awaited<ReturnType<App['inject']>>
    const drives: [string, string, (app: App) => Promise<Response>, number][] = []
    const drive = (path: string, url: string, status: number, headers: Record<string, string> = {}) =>
      drives.push([path, 'get', app => app.inject({ url, headers }), status])
    drive('/contents', '/contents', 200)
    drive('/contents', '/contents?type=none', 200)
    drive('/contents', '/contents?perPage=2&page=2&perPage=1', 400)
    drive('/contents', '/contents?search=%3F', 400)
    drive('/contents', '/contents', 304, { 'if-none-match': '*' })
    drive('/contents/{contentId}', '/contents/2', 200)
    drive('/contents/{contentId}', '/contents/2', 304, { 'if-none-match': '*' })
    drive('/contents/{contentId}', '/contents/40404', 308)
    drive('/contents/{contentId}', '/contents/x', 404)
    drive('/terms', '/terms', 200)
    drive('/terms', '/terms?order_by=x', 400)
    drive('/terms', '/terms', 304, { 'if-none-match': '*' })
    drive('/terms/{termId}', '/terms/1', 200)
    drive('/terms/{termId}', '/terms/2', 404)
    drive('/terms/{termId}', '/terms/1', 304, { 'if-none-match': '*' })
    drive('/rail-collections', '/rail-collections?with=rails', 200)
    drive('/rail-collections', '/rail-collections?with=x', 400)
    drive('/rail-collections', '/rail-collections', 304, { 'if-none-match': '*' })
    drive('/schedule', '/schedule?from=2026-03-01T09:00:00Z', 200)
    drive('/schedule', '/schedule?from=x', 400)
    drive('/schedule/now', '/schedule/now', 200)
    drive('/schedule/now', '/schedule/now?channel=', 400)
    drive('/contents/{contentId}/similar', '/contents/2/similar', 200)
    drive('/contents/{contentId}/similar', '/contents/x/similar', 404)
    drive('/contents/{contentId}/similar', '/contents/2/similar?perPage=51', 400)
    drive('/home', '/home', 200)
    drive('/home', '/home', 304, { 'if-none-match': '*' })
    drive('/home', '/home?items=31', 400)
    drive('/home', '/home', 401, { authorization: 'Bearer x' })
    drive('/legal/{languageCode}', '/legal/en', 200)
    drive('/legal', '/legal', 200)
    drive('/legal/{languageCode}', '/legal/xx', 404)
    drive('/legal/{languageCode}', '/legal/en', 304, { 'if-none-match': '*' })
    drive('/support/context/{context}/texts', '/support/context//texts', 200)
    drive('/support/context/{context}/texts', '/support/context/x/texts', 200)
    drive('/support/context/{context}/texts', '/support/context/x/texts', 304, { 'if-none-match': '*' })
    drive('/health', '/health', 200)
    drive('/ready', '/ready', 200)

    const email = 'driver@example.com'
    const post = (url: string, payload: object, status: number) =>
      drives.push([url, 'post', app => app.inject({ method: 'POST', url, payload }), status])
    await addUser(app, email)
    post('/login', { email, password }, 200)
    post('/login', { email, password: 'wrong' }, 401)
    post('/login', { email }, 400)
    post('/login', { email, password: 'x'.repeat(70_000) }, 413)
    post('/login/refresh', { refresh_token: 'x' }, 401)
    post('/logout', {}, 401)

    const user = await addUser(app)
    const headers = await signIn(app, user)
    const as = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, status: number, payload?: object, url = path) =>
      drives.push([path, method.toLowerCase(), app => app.inject({ method, url, headers, ...(payload && { payload }) }), status])
    const idOf = async (list: string) => {
      const { data } = (await app.inject({ url: list, headers })).json()
      return data.collection[0]._id ?? data.collection[0].id
    }
    const withId = (method: 'GET' | 'PUT' | 'DELETE', list: string, path: string, payload?: object) => {
      const ask = async () => app.inject({ method, url: path.replace(/{.*}/, await idOf(list)), headers, ...(payload && { payload }) })
      drives.push([path, method.toLowerCase(), ask, 200])
    }
    as('POST', '/history', 201, { content_id: 1, percentage: 100 })
    as('POST', '/history', 201, { content_id: 2, time: 60 })
    as('POST', '/history', 400, { content_id: 9 })
    as('POST', '/history', 400, { content_id: 1, time: -1 })
    as('GET', '/history', 200)
    as('GET', '/history/{watchedVideoId}', 404, undefined, '/history/1')
    withId('GET', '/history', '/history/{watchedVideoId}')
    withId('PUT', '/history', '/history/{watchedVideoId}', { percentage: 50 })
    withId('GET', '/history', '/watchlist/{elementId}')
    as('GET', '/continue-watching', 200)
    as('GET', '/recommendations', 200)
    as('DELETE', '/continue-watching/{contentId}', 200, undefined, '/continue-watching/2')
    as('DELETE', '/continue-watching/{contentId}', 404, undefined, '/continue-watching/x')
    as('POST', '/watchlist', 201, { content_id: 1 })
    as('POST', '/profiles', 201, { name: 'Ada' })
    as('GET', '/watchlist', 200)
    withId('DELETE', '/watchlist', '/watchlist/{elementId}')
    as('DELETE', '/watchlist/{elementId}', 404, undefined, '/watchlist/1')
    as('DELETE', '/watchlist', 200)
    withId('DELETE', '/history', '/history/{watchedVideoId}')
    as('DELETE', '/history', 200)
    const other = await beginSession(app.data, await addUser(app))
    as('GET', '/me', 200)
    as('GET', '/sessions', 200)
    as('DELETE', '/sessions/{sessionId}', 403, undefined, `/sessions/${other.sid}`)
    as('DELETE', '/sessions/{sessionId}', 404, undefined, '/sessions/x')
    drives.push([
      '/sessions/{sessionId}',
      'delete',
      async app => app.inject({ method: 'DELETE', url: `/sessions/${(await beginSession(app.data, user)).sid}`, headers }),
      200
    ])
    as('DELETE', '/sessions', 200, undefined, '/sessions?others=true')
    as('DELETE', '/sessions', 400, undefined, '/sessions?others=x')
    as('PUT', '/me/password', 401, { password: 'wrong', new_password: 'long enough' })
    as('PUT', '/me/password', 400, { password, new_password: 'short' })
    as('PUT', '/me/password', 200, { password, new_password: 'long enough' })
    as('POST', '/logout', 200)
    drive('/recommendations', '/recommendations', 200)
    drive('/recommendations', '/recommendations', 401, { authorization: 'Bearer x' })

    /**
     * Headers that answers may have although the document does not name them: it names the caching of
     * public answers alone, and one 304 for all operations.
     */
    const notAlwaysNamed = (status: number) => ['cache-control', 'vary', ...(status === 304 ? ['content-language'] : [])]
    const namedHeaders = (headers: object) => Object.keys(headers).map(name => name.toLowerCase())

    for (const [path, method, ask, status] of drives) {
      t.test(`${method} ${path} ${status}`, async t => {
        const response = await ask(app)
        t.equal(response.statusCode, status)
        const documented = document.paths[path]?.[method]?.responses ?? {}
        t.ok(documented[status], `${status} is one of ${Object.keys(documented).join(', ')}`)
        if (!documented[status]) return
        const headers = namedHeaders(documented[status].headers)
        for (const name of headers) if (name !== 'vary') t.ok(response.headers[name], `the answer has ${name}`)
        for (const name of namedHeaders(document.components.headers))
          if (response.headers[name] && !notAlwaysNamed(status).includes(name)) t.ok(headers.includes(name), `the document has ${name}`)
        if ([304, 308].includes(status)) return
        const [type = ''] = Object.keys(documented[status].content ?? {})
        t.equal(type, 'application/json')
        const holds = ({ paths }: Document, body: object) => {
          const validate = ajv.compile(closed(paths[path]?.[method]?.responses[status]?.content?.[type]?.schema) as object)
          t.ok(validate(body), JSON.stringify(validate.errors))
        }
        const { 'message ': quirk, ...body } = response.json()
        holds(document, body)
        holds(exact, response.json())
        t.equal(quirk, status < 300 && 'message' in body ? body.message : undefined, 'only answers to writes have the unpublished key')
      })
    }

    t.test('every operation that creates something is among those above', async t => {
      const creations = Object.entries(document.paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, { responses }]) => ('201' in responses ? [`${method} ${path}`] : []))
      )
      t.ok(creations.length >= 3)
      for (const creation of creations)
        t.ok(
          drives.some(([path, method, , status]) => `${method} ${path} ${status}` === `${creation} 201`),
          creation
        )
    })
  })

  t.test('under a BASE_PATH the document and its page stand below it', async t => {
    const app = await buildWith(t, {}, { settings: { BASE_PATH: '/video' } })
    const response = await app.inject('/video/openapi.json')
    t.equal(response.statusCode, 200)
    t.strictSame(response.json().paths, (await committed()).paths, 'the paths lack the prefix')
    t.strictSame(response.json().servers, [{ url: '/video' }])
    t.equal((await app.inject('/openapi.json')).statusCode, 404)
    t.ok([200, 302].includes((await app.inject('/video/docs')).statusCode))
  })

  t.test('the service describes itself', async t => {
    const app = await build(t)
    const response = await app.inject('/openapi.json')
    t.equal(response.statusCode, 200)
    t.match(response.headers['content-type'], /^application\/json/)
    const { openapi, paths: described } = response.json()
    t.match(openapi, /^3\./)
    for (const path of ['/login', '/login/refresh', '/logout', '/health', '/ready']) t.ok(described[path], path)

    let page = await app.inject('/docs')
    if (page.statusCode >= 300 && page.statusCode < 400)
      page = await app.inject(new URL(String(page.headers.location), 'http://x/docs').pathname)
    t.equal(page.statusCode, 200)
    t.match(page.headers['content-type'], /^text\/html/)
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => new URL(String(file), 'http://x/docs').pathname)
    t.ok(files.length > 0)
    for (const file of files) t.equal((await app.inject(file)).statusCode, 200, file)
  })
})

t.test('the page', async t => {
  t.test('a sign-in on the page is kept for the calls after it, and other answers are shown as they are', async t => {
    const configs: { url: string; plugins: (() => { statePlugins: { spec: { wrapActions: { setResponse: typeof wrap } } } })[] }[] = []
    const window = { SwaggerUIBundle: Object.assign((config: (typeof configs)[number]) => configs.push(config), { presets: 'as before' }) }
    runInNewContext(keepSignIn, { window })
    t.equal(window.SwaggerUIBundle.presets, 'as before')
    window.SwaggerUIBundle({ url: '/docs/json', plugins: [] })
    t.equal(configs[0]?.url, '/docs/json')

    const given: unknown[] = []
    const shown: unknown[] = []
    const wrap =
      (_show: (...answer: unknown[]) => void, _system: object) =>
      (..._answer: unknown[]) => {}
    const setResponse = configs[0]?.plugins[0]?.().statePlugins.spec.wrapActions.setResponse ?? wrap
    const show = setResponse((...answer) => shown.push(answer), {
      authActions: { authorizeWithPersistOption: (authorization: unknown) => given.push(JSON.parse(JSON.stringify(authorization))) }
    })
    const answers = [{ body: { data: { access_token: 'a.b.c' } } }, { body: { data: {} } }, { body: {} }, {}]
    for (const answer of answers) show('/login', 'post', answer)
    t.strictSame(given, [{ bearer: { name: 'bearer', schema: { type: 'http', scheme: 'bearer' }, value: 'a.b.c' } }])
    t.strictSame(
      shown,
      answers.map(answer => ['/login', 'post', answer])
    )
  })
})

type Node = Schema & Record<string, unknown>
/** Every object of the document with the path to it, except for the examples. */
const nodes = function* (node: unknown, path: string[] = []): Generator<[path: string, node: Node]> {
  if (typeof node !== 'object' || node === null) return
  yield [path.join('/'), node as Node]
  for (const [key, part] of Object.entries(node)) if (!['example', 'examples'].includes(key)) yield* nodes(part, [...path, key])
}
const all = [...nodes(document)]
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation])
)
const parameters = operations.flatMap(([name, { parameters = [] }]) => parameters.map((given): [string, Parameter] => [name, given]))
const propertiesNamed = (...names: string[]) =>
  all.flatMap(([path, { properties = {} }]) =>
    names.flatMap(name => (properties[name] ? [{ path: `${path}/${name}`, ...properties[name] }] : []))
  )

t.test('no key has a space, which no language has in a name', async t => {
  for (const [path, { properties = {}, required = [] }] of all)
    for (const name of [...Object.keys(properties), ...(Array.isArray(required) ? required : [])]) t.match(name, /^\w+$/, path)
  t.notMatch(text, '"message "', 'nor do the examples have it')
})

t.test('`success` is a plain boolean', async t => {
  const found = propertiesNamed('success')
  t.ok(found.length >= 20)
  for (const { path, ...schema } of found) t.strictSame(schema, { type: 'boolean' }, path)
})

t.test('the numbers of other pages have a description and no type', async t => {
  const found = propertiesNamed('next_page', 'prev_page')
  t.equal(found.length, 4)
  for (const { path, ...schema } of found) {
    t.strictSame(Object.keys(schema), ['description'], path)
    t.match(schema, { description: /number of the (next|previous) page.+false/ })
  }
})

t.test('no component is named like the constructor of another one in Go', async t => {
  const names = Object.keys(components.schemas)
  t.strictSame(
    names.filter(name => names.includes(name.replace(/^New/, '')) && name.startsWith('New')),
    []
  )
})

t.test('there are no unions but those of a component and null', async t => {
  const unions = all.filter(([, node]) => ['anyOf', 'oneOf', 'allOf', 'not'].some(keyword => keyword in node))
  t.strictSame(
    unions.map(([path, { anyOf }]) => [path, anyOf]),
    [
      ['HistoryProgress/properties/previous', 'PreviousPosition'],
      ['ContinueWatchingCard/properties/history', 'HistoryProgress'],
      ['HistoryElement/properties/previous', 'PreviousPosition'],
      ['HomeRow/properties/because', 'HomeBecause'],
      ['HomeItem/properties/history', 'HistoryProgress'],
      ['ExportedHistory/properties/previous', 'PreviousPosition'],
      ['OnAir/properties/now', 'Programme'],
      ['OnAir/properties/next', 'Programme']
    ].map(([path, name]) => [`components/schemas/${path}`, [{ $ref: `#/components/schemas/${name}` }, { type: 'null' }]])
  )
  for (const [name, { type }] of Object.entries(components.schemas)) t.equal(type, 'object', `${name} itself is never null`)
  for (const [path, { type }] of all.filter(([, { type }]) => Array.isArray(type))) {
    t.equal(type?.length, 2, path)
    t.ok(type?.includes('null'), path)
  }
})

t.test('an item of a start page has the fields of a card and of an element of the watchlist', async t => {
  const fieldsOf = (name: string) => Object.keys(components.schemas[name]?.properties ?? {})
  for (const kind of ['ContinueWatchingCard', 'WatchlistElement'])
    t.strictSame(
      fieldsOf(kind).filter(field => !fieldsOf('HomeItem').includes(field)),
      [],
      kind
    )
})

t.test('the reason of a recommendation is one object', async t => {
  t.match(components.schemas.Recommendation?.properties?.reason, { $ref: '#/components/schemas/RecommendationReason' })
  t.match(components.schemas.RecommendationReason, {
    type: 'object',
    required: ['type'],
    properties: { type: { enum: ['watched', 'popular'] }, content_id: { type: 'integer' }, name: { type: 'string' } }
  })
})

t.test('every number has a format', async t => {
  const numbers = all.filter(([, { type }]) => [type].flat().some(name => name === 'integer' || name === 'number'))
  t.ok(numbers.length > 60)
  for (const [path, { type, format }] of numbers) t.equal(format, [type].flat().includes('integer') ? 'int64' : 'double', path)
})

t.test('ids in paths are integers, or texts in the history and of sessions, and have an example', async t => {
  const ids = parameters.filter(([, given]) => given.in === 'path' && given.name.endsWith('Id'))
  t.ok(ids.length >= 8)
  for (const [name, { schema, example }] of ids) {
    const isText = /watchedVideoId|get \/watchlist|sessionId/.test(name)
    t.match(schema, isText ? { type: 'string' } : { type: 'integer', minimum: 1 }, name)
    t.match(example, isText ? /^([0-9a-f]{24}|[0-9a-f-]{36})$/ : Number, name)
  }
})

t.test('parameters in paths and filters have examples, which the page does not fill in', async t => {
  for (const [name, given] of parameters) {
    const isChoice = given.schema.enum !== undefined || given.schema.default !== undefined
    if (given.in === 'path') t.ok('example' in given || 'examples' in given, `${given.name} of ${name}`)
    else t.equal(given.schema.examples?.length, isChoice ? undefined : 1, `${given.name} of ${name}`)
    if (given.in === 'query') t.notOk('example' in given || 'examples' in given, `${given.name} of ${name}`)
  }
})

t.test('ids in filters begin with 0, which matches nothing', async t => {
  const lists = parameters.filter(([, { schema }]) => schema.items?.type === 'integer')
  t.strictSame([...new Set(lists.map(([, { name }]) => name))].sort(), ['content_id', 'ids', 'parent_id', 'people', 'terms', 'year'])
  for (const [name, { schema }] of lists) t.match(schema.items, { minimum: 0 }, name)
})

t.test('fields to order by have names, since `name` is none in some languages', async t => {
  const orders = parameters.filter(([, { name }]) => name === 'order_by')
  t.equal(orders.length, 2)
  for (const [, { schema }] of orders)
    t.strictSame(
      (schema as Node)['x-enum-varnames'],
      schema.enum?.map(field => String(field).toUpperCase())
    )
})

t.test('directions are in upper or lower case, with names that differ by more than that', async t => {
  const directions = parameters.filter(([, { name }]) => name === 'order_direction')
  t.equal(directions.length, 2)
  const accepted = ['ASC', 'DESC', 'asc', 'desc']
  const names = ['ASC', 'DESC', 'LOWER_ASC', 'LOWER_DESC']
  for (const [, { schema }] of directions) t.match(schema, { enum: accepted, 'x-enum-varnames': names })
  const app = await build(t)
  for (const direction of [...accepted, 'Asc', 'dESC'])
    t.equal((await app.inject(`/terms?order_direction=${direction}`)).statusCode, accepted.includes(direction) ? 200 : 400, direction)
})

t.test('a body may be left out where the service fills in an empty one', async t => {
  const optional = operations.filter(([, { requestBody }]) => requestBody?.required === false).map(([name]) => name)
  t.strictSame(optional.toSorted(), ['post /login/device', 'post /profiles/{profileId}/token'])
})

t.test('bodies, answers and their parts are components', async t => {
  for (const [name, { requestBody, responses }] of operations) {
    if (requestBody) t.match(requestBody.content['application/json'].schema, { $ref: /^#\/components\/schemas\// }, name)
    for (const [status, answer] of Object.entries(responses)) {
      if (status >= '300') t.match(answer, { $ref: /^#\/components\/responses\/[A-Z]\w+$/ }, `${name} ${status}`)
      else if (name !== 'get /metrics' && name !== 'get /changes/stream')
        t.match(answer.content?.['application/json']?.schema, { $ref: /^#\/components\/schemas\/[A-Z]\w+$/ }, `${name} ${status}`)
    }
  }
  const unnamed = all.filter(([path, { properties }]) => properties && !/^components\/schemas\/\w+$/.test(path))
  t.strictSame(
    unnamed.map(([path]) => path),
    ['Content', 'ContentDetails', 'SimilarContent', 'Recommendation'].map(name => `components/schemas/${name}/properties/pricing`),
    'all are named except those that may hold anything'
  )
  t.notMatch(Object.keys(components.schemas).join(), 'undefined')
  for (const name of Object.keys(components.responses)) t.notOk(components.schemas[name], `only one component has the name ${name}`)
})

t.test('a stream of events has no schema, which would be that of all of them together', async t => {
  const [, stream] = operations.find(([name]) => name === 'get /changes/stream') ?? []
  t.strictSame(stream?.responses['200']?.content, { 'text/event-stream': { schema: {} } })
})

t.test('every component is used', async t => {
  const { schemas, responses, headers } = components
  for (const [kind, named] of Object.entries({ schemas, responses, headers }))
    for (const name of Object.keys(named)) t.match(text, `"#/components/${kind}/${name}"`)
})

t.test('the body of an update has no alternatives, but a description of them', async t => {
  t.match(components.schemas.ProgressUpdate, { description: /`time` or `percentage`/, required: undefined })
})

t.test('every operation says whether it takes a token', async t => {
  t.strictSame(document.security, [{ bearer: [] }])
  const withSecurity = (...security: object[]) =>
    operations.filter(([, operation]) => JSON.stringify(operation.security) === JSON.stringify(security)).map(([name]) => name)
  t.strictSame(
    withSecurity({ bearer: [] }, {}).sort(),
    [
      'get /contents',
      'get /contents/{contentId}',
      'get /contents/{contentId}/similar',
      'get /home',
      'get /recommendations',
      'get /schedule',
      'get /schedule/now'
    ],
    'where a token is optional it comes first, so that generated clients send it for profiles with an age limit'
  )
  t.ok(withSecurity({ bearer: [] }).includes('get /history'))
  t.ok(withSecurity().includes('get /terms'))
  t.equal(withSecurity({ bearer: [] }, {}).length + withSecurity({ bearer: [] }).length + withSecurity().length, operations.length)
})

t.test('operations have the names of methods and a description', async t => {
  for (const [name, { operationId, ...operation }] of operations) {
    t.match(operationId, /^[a-z][A-Za-z]+$/, name)
    t.match(operation, { summary: /.+/, description: /.+/, tags: [/.+/] }, name)
  }
})

t.test('nothing is published that only the validator of the service knows', async t => {
  t.notMatch(text, /"x-(published|rule|upper-case)"|"format": "search"/)
  t.notMatch(text, '\\\\p{', 'nor patterns that some languages lack')
})

t.test('it is small enough to be read', async t => {
  t.ok(text.length < 260_000, `${text.length}`)
})

t.test('the server is the one that the caller can reach', async t => {
  t.strictSame(document.servers, [{ url: 'http://localhost:3000' }], 'the default for newcomers')
  const settings: [given: Record<string, string>, url: string][] = [
    [{}, '/'],
    [{ BASE_PATH: '/video' }, '/video'],
    [{ PUBLIC_URL: 'https://api.example.com' }, 'https://api.example.com'],
    [{ PUBLIC_URL: 'https://api.example.com', BASE_PATH: '/video' }, 'https://api.example.com/video']
  ]
  for (const [given, url] of settings) {
    const app = await build(t, { settings: given })
    const { servers, paths } = (await app.inject(`${given.BASE_PATH ?? ''}/openapi.json`)).json()
    t.strictSame(servers, [{ url }])
    t.strictSame(Object.keys(paths), Object.keys(document.paths))
    const { servers: ofPage } = (await app.inject(`${given.BASE_PATH ?? ''}/docs/json`)).json()
    t.strictSame(ofPage, [{ url: given.BASE_PATH ?? '/' }], 'the page calls its own origin')
  }
})
