import t from 'tap'
import { build } from '../helpers/app.js'
import { committedText, type Document, type Operation, type Parameter, type Schema } from '../helpers/openapi.js'

const text = await committedText()
const document: Document = JSON.parse(text)
const { components } = document

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

t.test('ids in filters begin with 1', async t => {
  const lists = parameters.filter(([, { schema }]) => schema.items?.type === 'integer')
  t.strictSame([...new Set(lists.map(([, { name }]) => name))].sort(), ['content_id', 'ids', 'parent_id', 'terms'])
  for (const [name, { schema }] of lists) t.match(schema.items, { minimum: 1 }, name)
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

t.test('directions are in lower case, and accepted in either', async t => {
  const directions = parameters.filter(([, { name }]) => name === 'order_direction')
  t.equal(directions.length, 2)
  for (const [, { schema }] of directions) t.match(schema, { enum: ['asc', 'desc'], default: 'desc' })
  const app = await build(t)
  for (const direction of ['asc', 'desc', 'ASC', 'DESC'])
    t.equal((await app.inject(`/terms?order_direction=${direction}`)).statusCode, 200, direction)
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
    ['Content', 'SimilarContent', 'Recommendation'].map(name => `components/schemas/${name}/properties/pricing`),
    'all are named except those that may hold anything'
  )
  t.notMatch(Object.keys(components.schemas).join(), 'undefined')
  for (const name of Object.keys(components.responses)) t.notOk(components.schemas[name], `only one component has the name ${name}`)
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
  t.ok(text.length < 200_000, `${text.length}`)
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
