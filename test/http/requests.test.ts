import { type TSchema, Type } from '@sinclair/typebox'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { Nullable } from '../../schemas/common.js'
import { callerOf, withoutPorts } from '../../src/http/addresses.js'
import { acceptedLanguages, existingLanguages } from '../../src/http/languages.js'
import { requestId } from '../../src/http/requests.js'
import { compileValidator, invalidRequest } from '../../src/http/validation.js'
import { assertFailure, malformed, post } from '../helpers/answers.js'
import { addUser, build, password, signIn } from '../helpers/app.js'
import { dereferenced, type Parameter } from '../helpers/openapi.js'

t.test('addresses', async t => {
  t.test('who counts as one caller', async t => {
    for (const [address, caller] of [
      ['192.0.2.7', '192.0.2.7'],
      ['::ffff:192.0.2.7', '192.0.2.7'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:0DB8:0001:2::ffff', '2001:db8:1:2::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['2001:db8:1::3:4:5:6', '2001:db8:1:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['::ffff:cb00:7109', '203.0.113.9'],
      ['::fffe:cb00:7109', '0:0:0:0::/64'],
      ['1::ffff:cb00:7109', '1:0:0:0::/64'],
      ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
      ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
      ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
      ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
      ['[2001:db8::1]', '2001:db8:0:0::/64'],
      ['[2001:db8::1]:65535', '2001:db8:0:0::/64'],
      ['192.0.2.7:80', '192.0.2.7'],
      ['192.0.2.7:', ''],
      ['192.0.2.7:123456', ''],
      ['192.0.2', ''],
      ['192.0.2.07', ''],
      ['2001:db8::1:80:', ''],
      ['2001:db8::1::2', ''],
      ['1:2:3:4:5:6:7:8:9::', ''],
      ['[]', ''],
      ['', ''],
      [undefined, '']
    ] as const)
      t.equal(callerOf(address), caller, String(address))
  })

  t.test('of a chain of proxies only the last hundred are read', async t => {
    const entries = withoutPorts(`${'1,'.repeat(7000)}203.0.113.9:80, [2001:db8::1]:443`).split(',')
    t.equal(entries.length, 100)
    t.strictSame(entries.slice(-3), ['1', '203.0.113.9', '2001:db8::1'])
  })

  const behindProxies = (t: Test, TRUST_PROXY = '1', settings: Record<string, string> = {}) =>
    build(t, { settings: { TRUST_PROXY, ...settings } })

  /** Spellings of one caller each, as proxies write them. */
  const callers = {
    'an IPv4 address': [
      '203.0.113.9',
      '203.0.113.9:40001',
      '203.0.113.9:40002',
      '[203.0.113.9]:7',
      '::ffff:203.0.113.9',
      '::ffff:cb00:7109',
      '[::FFFF:CB00:7109]:9',
      '0:0:0:0:0:ffff:203.0.113.9'
    ],
    'an IPv6 network': [
      '2001:db8:1:2::1',
      '[2001:db8:1:2::2]',
      '[2001:db8:1:2::3]:40003',
      '2001:DB8:1:2:3:4:5:6',
      '[2001:db8:1:2::192.0.2.1]:5'
    ],
    'a link': ['fe80::1', 'fe80::2%eth0', '[fe80::3%eth1]:40004'],
    'what is no address': [
      '1:2:3:4:5:6:7:8:9::',
      '::1::',
      'unknown',
      '_hidden',
      '203.0.113.256',
      '203.0.113.9:port',
      '[203.0.113.9',
      ':80',
      'x'.repeat(9000)
    ]
  }

  t.test('the rate limit counts a caller once, however the address is spelled', async t => {
    for (const [who, spellings] of Object.entries(callers)) {
      const app = await behindProxies(t, '1', { RATE_LIMIT_ADDRESS: '1' })
      const statuses = []
      for (const spelling of spellings)
        statuses.push((await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': spelling } })).statusCode)
      t.strictSame(statuses, [404, ...spellings.slice(1).map(() => 429)], who)
      const { statusCode } = await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': '198.51.100.7' } })
      t.equal(statusCode, 404, 'another caller is not limited')
    }
  })

  t.test('the limit of failed logins too', async t => {
    const app = await behindProxies(t, '1', { LOGIN_LIMIT: '1' })
    for (const [who, [first = '', ...others]] of Object.entries(callers)) {
      const { email } = await addUser(app)
      const logIn = async (forwarded: string, given: string) =>
        (
          await app.inject({
            method: 'POST',
            url: '/login',
            headers: { 'x-forwarded-for': forwarded },
            payload: { email, password: given }
          })
        ).statusCode
      t.equal(await logIn(first, 'wrong'), 401, who)
      for (const other of others) t.equal(await logIn(other, password), 429, other.slice(0, 40))
      t.equal(await logIn('198.51.100.7', password), 200, 'another caller is not limited')
    }
  })

  t.test('trusted proxies may be written with ports', async t => {
    const chains = (caller: string) => [
      `${caller}, 10.0.0.1`,
      `${caller}, 10.0.0.2:4711`,
      `${caller}:4000, [10.0.0.3]:80`,
      `spoofed, ${caller}:4001, ::ffff:10.0.0.4`,
      `198.51.100.250:1, ${caller}, [::ffff:a00:5]:443`,
      `198.51.100.251:1, ${caller} , [fd00::6]:443`,
      `198.51.100.251:1, ${caller} ,fd00::7%eth0`
    ]
    for (const TRUST_PROXY of ['2', '127.0.0.1, 10.0.0.0/8, fd00::/8', 'loopback, uniquelocal']) {
      const app = await behindProxies(t, TRUST_PROXY, { RATE_LIMIT_ADDRESS: '1' })
      const from = async (forwarded: string) =>
        (await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': forwarded } })).statusCode
      const [first = '', ...others] = chains('203.0.113.9')
      t.equal(await from(first), 404, TRUST_PROXY)
      for (const chain of others) t.equal(await from(chain), 429, `${TRUST_PROXY}: ${chain}`)
      for (const chain of chains('203.0.113.10').slice(1, 2)) t.equal(await from(chain), 404, `${TRUST_PROXY}: ${chain}`)
    }
  })

  t.test('a proxy with a port that is not trusted is the caller itself', async t => {
    const app = await behindProxies(t, 'loopback', { RATE_LIMIT_ADDRESS: '1' })
    const from = async (forwarded: string) => (await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': forwarded } })).statusCode
    t.equal(await from('203.0.113.1, 192.0.2.1:4000'), 404)
    t.equal(await from('203.0.113.2, 192.0.2.1:4001'), 429)
    t.equal(await from('203.0.113.2, no-address, 127.0.0.1:80'), 404)
    t.equal(await from('203.0.113.3, nor-this, 127.0.0.1:81'), 429)
  })

  t.test('an address of the connection itself may be anything', async t => {
    const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1' } })
    const from = async (remoteAddress: string) => (await app.inject({ url: '/nothing', remoteAddress })).statusCode
    t.equal(await from('fe80::1%eth0'), 404)
    t.equal(await from('fe80::2%eth1'), 429)
    t.equal(await from('1:2:3:4:5:6:7:8:9::'), 404)
    t.equal(await from('/var/run/socket'), 429)
  })
})

t.test('languages', async t => {
  t.test('acceptedLanguages', async t => {
    const headers: [string | undefined, string[]][] = [
      [undefined, []],
      ['', []],
      ['de', ['de']],
      ['de-AT, EN;q=0.5', ['de-at', 'en']],
      ['a;q=0.1, b;q=0.9, c', ['c', 'b', 'a']],
      ['a, b, c', ['a', 'b', 'c']],
      ['a;q=0.5, b;q=0.5', ['a', 'b']],
      ['a;q=0, b', ['b']],
      ['a;q=0.0', []],
      ['a ; q=0.2 , b ; q=0.3', ['b', 'a']],
      ['a;q=1.000, b;q=0.999', ['a', 'b']],
      [',, ,a,\t,b', ['a', 'b']]
    ]
    for (const [header, languages] of headers) t.strictSame(acceptedLanguages(header), languages, String(header))

    t.test('accepts any header', async t => {
      for (const header of [
        ',',
        ';',
        'q=1',
        ';q=1',
        'de;q',
        'de;q=',
        'de;q=x',
        'de;q=9',
        'de;q=-1',
        '\u0000',
        '*',
        'a'.repeat(100_000),
        ','.repeat(100_000)
      ])
        t.ok(
          acceptedLanguages(header).every(language => typeof language === 'string' && language === language.toLowerCase()),
          header.slice(0, 20)
        )
    })

    t.test('counts the first 20 of a header, by their weights', async t => {
      const many = Array.from({ length: 5000 }, (_, i) => `l${i}`)
      t.strictSame(acceptedLanguages(many.join()), many.slice(0, 20))
      t.strictSame(acceptedLanguages(many.map((language, i) => `${language};q=${(i + 1) / 5000}`).join()), many.slice(0, 20).reverse())
      t.strictSame(acceptedLanguages(`${',, ,'.repeat(4000)}de`), ['de'], 'empty elements are skipped')
    })

    t.test('ignores entries that are longer than any language', async t => {
      const long = 'a'.repeat(1000)
      t.strictSame(acceptedLanguages(`${long}, de, en;${long};q=1, nl;q=0.${'9'.repeat(1000)}, sv;q=0.5`), ['de', 'sv'])
      t.strictSame(acceptedLanguages(`${`${long},`.repeat(20)}de`), [], 'but it counts towards the limit')
    })
  })

  t.test('existingLanguages', async t => {
    const existing = (wanted: string[], ...languages: string[]) => existingLanguages(wanted, language => languages.includes(language))
    t.strictSame(existing(['en-us'], 'en', 'en-us'), ['en-us', 'en'])
    t.strictSame(existing(['en-us'], 'en'), ['en'])
    t.strictSame(existing(['en'], 'en-us'), [])
    t.strictSame(existing(['fr', 'de-at'], 'de', 'en'), ['de'])
    t.strictSame(existing(['de-at', 'nl'], 'nl', 'de'), ['de', 'nl'])
    t.strictSame(existing(['de-at', 'de', 'de-ch'], 'de'), ['de'], 'each language is listed once')
    t.strictSame(existing(['fr'], 'en'), [])
    t.strictSame(existing([], 'en'), [])
    t.strictSame(existing(['zh-hant-tw'], 'zh'), ['zh'])
    t.strictSame(existing(['', '-', '--'], 'en'), [])
  })
})

t.test('paths', async t => {
  t.test('the service', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })

    t.test('refuses malformed percent-encoding', async t => {
      for (const url of ['/%', '/login%', '/%zz', '/login%2', '/%E0%A4%A', '/%C3%28', '/%ff', '/docs/%', '/docs/static/%E0%A4%A']) {
        for (const method of ['GET', 'POST', 'DELETE'] as const) {
          assertFailure(t, await app.inject({ method, url }), 400, `${method} ${url}`)
        }
      }
    })

    t.test('answers odd queries and spellings of an address without a 500', async t => {
      for (const url of [
        '/health?',
        '/health?a=1&a=2',
        '/health?__proto__[x]=1',
        '/health?a[]=1&a[b]=2',
        `/health?${'a&'.repeat(3000)}`,
        '/health?x=%C3%A4',
        '/health#top'
      ]) {
        t.equal((await app.inject(url)).statusCode, 200, url.slice(0, 30))
      }
    })
  })

  t.test('BASE_PATH stands before every path', async t => {
    for (const base of ['/viewer', '/api/v1.0']) {
      const app = await build(t, { settings: { BASE_PATH: base } })
      const { email } = await addUser(app)
      for (const path of ['/health', '/ready', '/openapi.json']) {
        t.equal((await app.inject(base + path)).statusCode, 200, base + path)
        assertFailure(t, await app.inject(path), 404, path, 'Resource not found')
      }
      t.ok((await app.inject(`${base}/docs`)).statusCode < 400)
      assertFailure(t, await app.inject('/docs'), 404, '/docs', 'Resource not found')
      const credentials = JSON.stringify({ email, password })
      t.equal((await post(app, `${base}/login`, credentials)).statusCode, 200)
      assertFailure(t, await post(app, '/login', credentials), 404, '/login', 'Resource not found')
      assertFailure(t, await app.inject(base), 404, base, 'Resource not found')
      assertFailure(t, await app.inject(`${base}${base}/health`), 404, 'twice', 'Resource not found')
      const wrong = await app.inject(`${base}/login`)
      assertFailure(t, wrong, 405, 'a wrong method')
      t.equal(wrong.headers.allow, 'POST')
    }
  })
})

t.test('request ids', async t => {
  t.test('no two requests have the same id', async t => {
    const ids = Array.from({ length: 1000 }, requestId)
    for (const id of ids) if (!/^[0-9a-f]{32}$/.test(id)) t.fail(id)
    t.equal(new Set(ids).size, ids.length)
  })

  t.test('every answer is named', async t => {
    const app = await build(t, { settings: { LOGIN_LIMIT: '0' } })
    const { email } = await addUser(app)
    const credentials = JSON.stringify({ email, password })
    const answers = [
      await app.inject('/health'),
      await app.inject('/nothing'),
      await app.inject('/%'),
      await app.inject('/login'),
      await post(app, '/login', malformed),
      await post(app, '/logout', ''),
      await post(app, '/login', 'x'.repeat(70_000)),
      await post(app, '/login', credentials)
    ]
    const ids = answers.map(({ headers }) => headers['x-request-id'])
    for (const [i, id] of ids.entries()) t.match(id, /^[\w-]{8,}$/, String(answers[i]?.statusCode))
    t.equal(new Set(ids).size, ids.length)
    const own = await app.inject({ url: '/health', headers: { 'x-request-id': 'evil\nid', 'request-id': 'evil' } })
    t.notMatch(own.headers['x-request-id'], 'evil')
  })
})

t.test('validation', async t => {
  /** What a caller is told of a field that its schema refuses. */
  const toldOf = (schema: TSchema, value: unknown, httpPart = 'body') => {
    const validate = compileValidator({ schema: Type.Object({ field: schema }), httpPart })
    const { error } = validate(value === undefined ? {} : { field: value }) as { error?: never[] }
    return error && invalidRequest(error, httpPart).body
  }

  t.test('a refusal gives the whole rule of the field, whatever its schema', async t => {
    const literals = ['one', 'two'].map(word => Type.Literal(word))
    const rules: [schema: TSchema, value: unknown, rule: string][] = [
      [Type.Integer(), 'x', 'must be an integer'],
      [Type.Integer({ minimum: 1 }), 0, 'must be an integer from 1'],
      [Type.Integer({ minimum: 1, maximum: 9 }), 10, 'must be an integer from 1 to 9'],
      [Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), 1.5, 'must be an integer from 1'],
      [Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), 2 ** 53, `must be an integer from 1 to ${2 ** 53 - 1}`],
      [Type.Integer({ minimum: Number.MIN_SAFE_INTEGER }), -(2 ** 53), `must be an integer from ${1 - 2 ** 53}`],
      [Type.Integer({ maximum: 9 }), 10, 'must be an integer up to 9'],
      [Type.Number({ minimum: 0, maximum: 100 }), 100.5, 'must be a number from 0 to 100'],
      [Nullable(Type.Integer({ minimum: 1 })), 0, 'must be an integer from 1 or null'],
      [Type.String(), 5, 'must be a string'],
      [Type.String({ minLength: 1 }), '', 'must be a string that is not empty'],
      [Type.String({ maxLength: 3 }), 'four', 'must be a string of at most 3 characters'],
      [Type.String({ minLength: 1, maxLength: 3 }), null, 'must be a string of 1 to 3 characters'],
      [Type.String({ pattern: '^a', 'x-rule': 'a string that begins with a' }), 'b', 'must be a string that begins with a'],
      [Type.String({ format: 'date-time' }), 'today', 'must be an RFC 3339 timestamp'],
      [Type.Unsafe({ type: 'string', enum: ['ASC', 'DESC'] }), 'UP', 'must be one of ASC, DESC'],
      [Type.Union(literals), 'three', 'must be one of one, two'],
      [Type.Literal('one'), 'two', 'must be one'],
      [Type.Array(Type.Integer()), 5, 'must be a list'],
      [Type.Array(Type.Integer(), { maxItems: 2 }), [1, 2, 3], 'must be a list of at most 2 values'],
      [Type.Array(Type.Integer(), { minItems: 1, maxItems: 2 }), [], 'must be a list of 1 to 2 values'],
      [Type.Array(Type.Integer({ minimum: 1 })), [1, 0], 'must be a list of values, each an integer from 1'],
      [Type.Object({}), [], 'must be an object'],
      [Type.Integer(), undefined, 'is required']
    ]
    for (const [schema, value, rule] of rules)
      t.match(toldOf(schema, value), { code: 400, message: `field ${rule}`, errors: [{ field: 'field', message: rule }] }, rule)
  })

  t.test('a parameter given twice is refused for that, and not for one of its values', async t => {
    t.match(toldOf(Type.Integer(), ['1', 'x'], 'querystring'), { errors: [{ field: 'field', message: 'must be given only once' }] })
    t.equal(toldOf(Type.Integer(), '1', 'querystring'), undefined)
  })

  t.test('a list of a query has at most 100 values of at most 200 characters, however it is written', async t => {
    const told = (schema: TSchema, value: string | string[]) => toldOf(schema, value, 'querystring')
    const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i))
    const ids = Type.Array(Type.Integer(), { minItems: 1, maxItems: 100 })
    const names = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 100 })

    for (const given of [
      numbers(100).join(),
      numbers(100),
      [numbers(40).join(), '7', numbers(59).join()],
      `${'0'.repeat(199)}7`,
      ['1', '1']
    ])
      t.equal(told(ids, given), undefined)
    for (const given of ['a'.repeat(200), '漢'.repeat(200), '😀'.repeat(200)]) t.equal(told(names, given), undefined)

    const message = 'must be a list of 1 to 100 values of at most 200 characters each'
    for (const [schema, given] of [
      [ids, numbers(101).join()],
      [ids, numbers(101)],
      [ids, [numbers(60).join(), numbers(60).join()]],
      [ids, Array.from({ length: 200 }, () => numbers(60).join())],
      [ids, ','.repeat(15_000)],
      [ids, 'x,'.repeat(7_500)],
      [ids, `${'0'.repeat(200)}7`],
      [names, 'a'.repeat(201)],
      [names, `b,${'a'.repeat(15_000)}`],
      [names, '😀'.repeat(201)],
      [names, ['b', `c,${'😀'.repeat(201)}`]]
    ] as [TSchema, string | string[]][])
      t.strictSame(
        told(schema, given),
        { success: false, code: 400, message: `field ${message}`, errors: [{ field: 'field', message }] },
        String(given).slice(0, 40)
      )
  })

  t.test('no value of a query is longer than 200 characters', async t => {
    const searched = Type.String({ maxLength: 200, pattern: 'a', 'x-rule': 'a string with an a' })
    for (const [schema, given, message] of [
      [Type.Integer(), `${'0'.repeat(200)}1`, 'must be of at most 200 characters'],
      [Type.String(), 'a'.repeat(201), 'must be of at most 200 characters'],
      [Type.String({ format: 'date-time' }), `2026-01-31T20:15:00.${'0'.repeat(15_000)}Z`, 'must be of at most 200 characters'],
      [searched, 'a'.repeat(201), 'must be a string with an a']
    ] as [TSchema, string, string][])
      t.match(toldOf(schema, given, 'querystring'), { code: 400, errors: [{ field: 'field', message }] }, message)
    t.equal(toldOf(Type.Integer(), `${'0'.repeat(199)}1`, 'querystring'), undefined)
    t.equal(toldOf(Type.String(), 'a'.repeat(201)), undefined, 'a body has its own limits')
  })
})

type Schema = TSchema & Record<string, unknown>

/** A value that breaks a rule of a schema, if possible no other, and the words that tell a caller of the rule. */
interface Breach {
  value: unknown
  words: unknown[]
}
const breach = (value: unknown, ...words: unknown[]): Breach => ({ value, words })

const types: Record<string, [value: unknown, words: string]> = {
  integer: [1, 'an integer'],
  number: [1.5, 'a number'],
  string: ['x', 'a string'],
  boolean: [true, 'true or false'],
  array: [[1], 'a list'],
  object: [{}, 'an object'],
  null: [null, 'null']
}
/** The words for what has none of its own in the keyword. No machine can put a pattern into words. */
const ownWords = (schema: Schema) => schema['x-rule'] ?? (schema.format === 'date-time' ? 'an RFC 3339 timestamp' : undefined)
const patternWords = (schema: Schema) => ownWords(schema) ?? '(an x-rule)'

const breachesOfType = (schema: Schema, isText: boolean) => {
  const [type, ...others]: string[] = [schema.type].flat()
  const given = [ownWords(schema) ?? schema.const ?? schema.enum ?? types[type as string]?.[1]].flat()
  // In a query everything is a string, and one value is a list.
  if (isText) return type === 'integer' || type === 'boolean' ? [breach('x', ...given)] : []
  const wrong = Object.keys(types).filter(name => name !== type && !others.includes(name) && !(name === 'integer' && type === 'number'))
  return wrong.map(name => breach(types[name]?.[0], ...given, ...others))
}

/** How each keyword is broken. */
const breaches: Record<string, (schema: Schema, isText: boolean) => Breach[]> = {
  type: breachesOfType,
  minimum: ({ minimum }) => [breach(minimum - 1, minimum)],
  maximum: ({ maximum }) => [breach(maximum + 1, maximum)],
  minLength: ({ minLength, maxLength }) => [breach('x'.repeat(minLength - 1), maxLength ? minLength : 'not empty')],
  maxLength: ({ maxLength }) => [breach('x'.repeat(maxLength + 1), maxLength)],
  minItems: ({ minItems }, isText) => (isText ? [] : [breach(Array(minItems - 1).fill(1), minItems)]),
  maxItems: ({ maxItems }) => [breach(Array(maxItems + 1).fill(1), maxItems)],
  items: ({ items }, isText) => breachesOf(items, isText).map(({ value, words }) => breach([value], 'each', ...words)),
  enum: schema => [breach('another', ...schema.enum)],
  const: schema => [breach('another', schema.const)],
  format: schema => [breach('?', patternWords(schema))],
  pattern: schema => [
    breach(
      ['   ', '12', '?', '\u0007'].find(text => !new RegExp(schema.pattern, 'u').test(text)),
      patternWords(schema)
    )
  ]
}

/** Keywords that refuse nothing. */
const notes = ['description', 'examples', 'default', 'style', 'explode', 'x-rule', 'x-upper-case', 'x-enum-varnames', 'x-published']

const breachesOf = (schema: Schema, isText = false): Breach[] =>
  Object.keys(schema).flatMap(keyword => {
    if (notes.includes(keyword)) return []
    const broken = breaches[keyword]?.(schema, isText)
    if (!broken) throw new Error(`This test does not know the keyword ${keyword}`)
    return broken
  })

t.test('a refusal names the rule that was broken, for every rule of every request', async t => {
  const app = await build(t)
  const headers = await signIn(app)
  let count = 0

  const refused = async (name: string, field: string, { value, words }: Breach, request: InjectOptions) => {
    const answer = await app.inject({ ...request, headers: { ...headers, ...request.headers } })
    const { errors = [] } = answer.json()
    const { message } = errors.find((error: { field: string }) => error.field === field) ?? {}
    const missing = words.filter(word => !message?.includes(String(word)))
    if (answer.statusCode !== 400 || missing.length > 0)
      t.fail(`${name} with ${field} ${JSON.stringify(value)}: ${answer.statusCode} "${message}" lacks "${missing}"`)
    count++
  }

  const refusesParameters = async (name: string, request: { method: 'GET'; url: string }, parameters: Parameter[]) => {
    for (const { in: place, name: field, schema } of parameters)
      for (const one of breachesOf(schema as unknown as Schema, true)) {
        const text = String(one.value)
        const query = `?${new URLSearchParams({ [field]: text })}`
        await refused(
          name,
          field,
          one,
          place === 'query' ? { ...request, url: request.url + query } : { ...request, headers: { [field]: text } }
        )
      }
  }

  const refusesBody = async (name: string, request: { method: 'GET'; url: string }, schema: Schema) => {
    const { type, properties = {}, required = [], anyOf = [] } = schema
    const send = (field: string, one: Breach, body: unknown) =>
      refused(name, field, one, { ...request, payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
    // The specification has its own words for a missing content id.
    const needsContent = required.includes('content_id')
    const valid = needsContent ? { content_id: 1 } : {}
    if (!needsContent) for (const one of breachesOf(Type.Unsafe({ type }))) await send('body', one, one.value)
    for (const field of required) if (field !== 'content_id') await send(field, breach(undefined, 'is required'), valid)
    if (anyOf.length > 0) await send(anyOf[0].required[0], breach(undefined, 'is required', anyOf[1].required[0]), {})
    for (const [field, property] of Object.entries(properties))
      for (const one of breachesOf(property as Schema)) await send(field, one, { ...valid, [field]: one.value })
  }

  for (const [path, operations] of Object.entries(dereferenced(app.exactDocument()).paths))
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      const name = `${method} ${path}`
      const request = { method: method.toUpperCase() as 'GET', url: path.replace(/\{\w+\}/g, '1') }
      await refusesParameters(name, request, parameters)
      if (requestBody) await refusesBody(name, request, requestBody.content['application/json'].schema as unknown as Schema)
    }
  t.ok(count > 300, `${count} rules`)
})
