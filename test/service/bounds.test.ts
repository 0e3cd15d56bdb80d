import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../../scripts/root.js'
import { trackedBytes } from '../../src/cache.js'
import { assertRefused } from '../helpers/answers.js'
import { type App, buildWith, signIn } from '../helpers/app.js'
import { content, programme, rail, railCollection, supportText, term } from '../helpers/documents.js'
import { bytesInUse, collectGarbage } from '../helpers/memory.js'

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
const texts = 20

/** As long as a head can be. */
const long = 15_000
let made = 0
/** A list of values that nobody ever sent, almost as long as a head can be. */
const unheardOf = () => Array.from({ length: 73 }, () => String(made++).padStart(200, 'x')).join()

const seed = {
  contents: numbers(30).map(id => content(id, { type: id % 2 ? 'show' : 'film', terms: [id % 3] })),
  terms: numbers(30).map(id => term(id)),
  rail_collections: [railCollection(1, { type: 'show' }, { rails: [rail(1, { ids: numbers(150).join(), search: 'a,b' })] })],
  programmes: numbers(30).map(id => programme(id, id, '2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z', { channel: `c${id % 3}` })),
  support_texts: numbers(texts).flatMap(id => ['en', 'de', 'sv'].map(language => supportText(id, language)))
}
const asked = (app: App, url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

t.test('lists of values', async t => {
  const app = await buildWith(t, seed)
  const headers = await signIn(app)
  const { paths } = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')) as {
    paths: Record<string, { get?: { parameters?: { name: string; in: string; schema: Record<string, unknown> }[] } }>
  }
  const parameters = Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? []).filter(parameter => parameter.in === 'query').map(parameter => ({ path, ...parameter }))
  )
  const lists = parameters.filter(({ schema }) => schema.type === 'array')
  t.ok(lists.length >= 10)

  for (const { path, name, schema } of lists) {
    t.test(`${name} of ${path}`, async t => {
      t.equal(schema.maxItems, 100)
      const { enum: values = ['1'] } = schema.items as { enum?: string[] }
      const value = String(values[0])
      const of = (lists: string[]) => lists.map(list => `${name}=${list}`).join('&')
      const times = (count: number) => Array<string>(count).fill(value)
      for (const query of [of([times(100).join()]), of(times(100)), of([times(60).join(), times(40).join()])])
        t.equal((await asked(app, `${path}?${query}`, headers)).statusCode, 200)

      const message = 'must be a list of 1 to 100 values of at most 200 characters each'
      const tooMany = [of([times(101).join()]), of(times(101)), of([times(60).join(), times(60).join()]), of([','.repeat(long)])]
      for (const query of [...tooMany, of(['9'.repeat(201)]), of([`${value},${'9'.repeat(long)}`])]) {
        const response = await asked(app, `${path}?${query}`, headers)
        t.equal(response.statusCode, 400)
        t.strictSame(response.json(), { success: false, code: 400, message: `${name} ${message}`, errors: [{ field: name, message }] })
      }
    })
  }

  for (const { path, name, schema } of parameters.filter(({ schema }) => schema.type !== 'array')) {
    const most = name === 'since' ? 1000 : 200
    t.test(`no ${name} of ${path} is longer than ${most} characters`, async t => {
      const value =
        schema.type === 'integer'
          ? '1'.padStart(most + 1, '0')
          : schema.format
            ? `2026-01-31T20:15:00.${'0'.repeat(most)}Z`
            : 'a'.repeat(most + 1)
      assertRefused(t, await asked(app, `${path}?${name}=${value}`, headers), name, name)
    })
  }
})

t.test('a stored rail that names more is followed by its first values', async t => {
  const app = await buildWith(t, seed)
  const { data } = (await asked(app, '/rail-collections?with=rails')).json()
  const { searchParams } = new URL(data.collection[0].rails[0].endpoint)
  t.equal(searchParams.get('ids'), numbers(100).join())
  t.equal(searchParams.get('search'), 'a,b', 'a search is not a list')
})

/** Whether the requests leave nothing behind. A leak shows at every attempt, but what the service happens to keep for itself does not. */
const leavesNothing = async (ask: () => Promise<void>) => {
  for (let attempt = 0; attempt < 5; attempt++) {
    const before = trackedBytes()
    await ask()
    if (trackedBytes() <= before) return true
  }
  return false
}

t.test('values that a caller chooses leave nothing behind', async t => {
  const app = await buildWith(t, seed)
  // Otherwise the caches of earlier tests would be collected during the requests.
  await collectGarbage()
  const questions: [string, () => Promise<{ statusCode: number }>][] = [
    ['unknown types', () => asked(app, `/contents?type=${unheardOf()}`)],
    ['unknown types beside one that exists', () => asked(app, `/contents?type=show,${unheardOf()}`)],
    ['the same types in another order', () => asked(app, `/contents?type=${made++ % 2 ? 'show,film' : 'film,show,film'}`)],
    ['searches that find nothing', () => asked(app, `/contents?search=nothing${made++}`)],
    ['unknown parameters', () => asked(app, `/contents?x${made++}=${'y'.repeat(long)}`)],
    ['pages past the end', () => asked(app, `/contents?page=${1000 + made++}`)],
    ['unknown ids', () => asked(app, `/contents?ids=${1000 + made++}`)],
    ['unknown terms', () => asked(app, `/terms?name=${unheardOf()}`)],
    ['unknown taxonomies beside one that exists', () => asked(app, `/terms?taxonomy=category,${unheardOf()}`)],
    ['unknown parameters of terms', () => asked(app, `/terms?x=${made++}`)],
    ['unknown parameters of rails', () => asked(app, `/rail-collections?x=${made++}`)],
    ['channels', () => asked(app, `/schedule?from=2026-03-01T10:00:00Z&channel=c1,${unheardOf()}`)],
    ['hosts that are too long', () => asked(app, '/rail-collections', { host: String(made++).padStart(long, 'h') })],
    ['languages', () => asked(app, '/support/context//texts', { 'accept-language': `de, ${unheardOf()}` })],
    ['languages beyond the twentieth', () => asked(app, '/legal', { 'accept-language': `${'xx,'.repeat(20)}${made++ % 2 ? 'de' : 'sv'}` })],
    ['contexts', () => asked(app, `/support/context/${String(made++).padStart(long, 'c')}/texts`)]
  ]
  for (const [what, ask] of questions) {
    t.test(what, async t => {
      await ask()
      await ask()
      t.ok(
        await leavesNothing(async () => {
          for (let i = 0; i < 10; i++) t.ok([200, 404].includes((await ask()).statusCode))
        })
      )
    })
  }

  t.test('nor elsewhere in memory', async t => {
    const askAll = async (times: number) => {
      for (let i = 0; i < times; i++) for (const [, ask] of questions) await ask()
    }
    const grownBy = async () => {
      const before = await bytesInUse()
      await askAll(50)
      return (await bytesInUse()) - before
    }
    await askAll(10)
    // A leak shows at every attempt, but what the rest of the process happens to need does not.
    let grown = await grownBy()
    for (let attempt = 1; attempt < 3 && grown >= 3_000_000; attempt++) grown = await grownBy()
    t.ok(grown < 3_000_000, `${grown} bytes for ${50 * questions.length} requests of ${long} bytes`)
  })
})

t.test('different texts for different languages, in each language once', async t => {
  const app = await buildWith(t, seed)
  const languagesOf = async (accepted: string) => {
    const response = await asked(app, '/support/context//texts', { 'accept-language': accepted })
    return { etag: response.headers.etag, language: response.json().data[0].language }
  }
  const first = await languagesOf('sv')
  t.equal(first.language, 'sv')
  const other = await languagesOf('de')
  t.not(other.etag, first.etag)
  const others = async () => {
    for (const accepted of ['SV', 'sv-fi, de', 'fr;q=0.9, sv;q=0.8', 'sv, de, en', 'de;q=0, sv', `${',, '.repeat(4000)}sv`])
      t.strictSame(await languagesOf(accepted), first, accepted.slice(0, 40))
    t.strictSame(await languagesOf('sv;q=0, en;q=0, de'), other, 'languages with q=0 are not used')
  }
  t.ok(await leavesNothing(others))
})

t.test('only the first 100 tags of If-None-Match count', async t => {
  const app = await buildWith(t, seed)
  const { etag } = (await asked(app, '/terms')).headers
  const status = async (header: string) => (await asked(app, '/terms', { 'if-none-match': header })).statusCode
  t.equal(await status(`${'"x",'.repeat(99)}${etag}`), 304)
  t.equal(await status(`${'"x",'.repeat(100)}${etag}`), 200)
})

t.test('the size of all caches is one metric', async t => {
  const app = await buildWith(t, seed)
  await collectGarbage()
  const { body } = await asked(app, '/metrics')
  const [, before] = /^kept_bytes (\d+)$/m.exec(body) ?? []
  await asked(app, '/contents?perPage=7')
  await asked(app, '/terms?perPage=7')
  const [, after] = /^kept_bytes (\d+)$/m.exec((await asked(app, '/metrics')).body) ?? []
  t.ok(Number(after) > Number(before) + 1000, `${before} and ${after}`)
})
