import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t, { type Test } from 'tap'
import type { ClientOptions, Schemas } from '../../client/index.js'
import { clientTypes } from '../../scripts/openapi.js'
import { root } from '../../scripts/root.js'
import { apart, commandApart } from '../helpers/apart.js'
import { addUser, build } from '../helpers/app.js'
import { change } from '../helpers/database.js'
import { until } from '../helpers/until.js'
import { clientOf, errorOf, kindOf, newViewer, serve } from './helper.js'

t.test('the types are those of the interface', async t => {
  const app = await build(t)
  const kept = await readFile(join(root, 'client/schema.ts'), 'utf8')
  t.equal(kept, await clientTypes(app.exactDocument()), 'client/schema.ts is outdated: run `npm run openapi`')
})

t.test('every answer has its type', async t => {
  const { app, baseUrl } = await serve(t)
  const { client } = clientOf(t, `${baseUrl}/`)
  const { name }: { name: string } = await newViewer(app, client)
  t.equal(name, 'A Viewer')

  const { collection, meta } = await client.get('/contents', {
    params: { query: { ids: [1, 2], order_by: 'name', order_direction: 'ASC' } }
  })
  const names: string[] = collection.map(({ name }) => name)
  t.strictSame(names, ['Film 1', 'Film 2'], 'array values are separated by commas')
  // @ts-expect-error Contents have no `nome`. If answers were `any`, this would compile.
  t.equal(collection[0]?.nome, undefined)
  const total: number = meta.total_count
  t.equal(total, 2)

  const film: Schemas['Content'] = await client.get('/contents/{contentId}', { params: { path: { contentId: '1' } } })
  t.equal(film.name, 'Film 1')
  const { code, message } = await client.post('/watchlist', { body: { content_id: 1 } })
  t.match({ code, message }, { code: 201, message: /saved|added/ })
  const [saved] = (await client.get('/watchlist')).collection
  await client.delete('/watchlist/{elementId}', { params: { path: { elementId: String(saved?.id) } } })
  t.equal((await client.get('/watchlist')).meta.total_count, 0)
  await client.post('/history', { body: { content_id: 2, time: 60 } })
  const [watched] = (await client.get('/history')).collection
  await client.put('/history/{watchedVideoId}', { params: { path: { watchedVideoId: watched?._id ?? '' } }, body: { percentage: 7 } })
  t.match((await client.get('/continue-watching')).collection, [{ reason: 'resume', history: { time: 60, percentage: 7 } }])

  t.test('the contents of a rail', async t => {
    const endpoint = 'https://elsewhere.example/contents?type=film&order_by=name&order_direction=DESC'
    const { collection, meta } = await client.railContents(endpoint, { page: 2, perPage: 2 })
    t.strictSame(
      collection.map(({ name }) => name),
      ['Film 1']
    )
    t.equal(meta.prev_page, 1)
    t.equal((await client.railContents(endpoint)).collection.length, 3)
  })

  t.test('similar titles', async t => {
    const titles: Schemas['SimilarContent'][] = await client.similar(1)
    t.strictSame(
      titles.map(({ name, recent }) => [name, recent]),
      [
        ['Film 3', false],
        ['Film 2', false]
      ]
    )
    t.equal((await client.similar(1, { perPage: 1 })).length, 1)
    t.match(await errorOf(client.similar(9)), { kind: 'refused', status: 404 })
  })

  t.test('what is on now and next', async t => {
    const hour = 3_600_000
    const on = (id: number, channel: string, from: number) => ({
      channel,
      starts_at: new Date(Date.now() + from * hour),
      ends_at: new Date(Date.now() + (from + 1) * hour),
      content_id: id,
      digest: ''
    })
    await change(app, 'programmes', 1, on(1, 'a', -0.5))
    await change(app, 'programmes', 2, on(2, 'b', 0.5))
    await until(async () => (await client.scheduleNow()).length === 2)
    const [first]: Schemas['OnAir'][] = await client.scheduleNow('a', 'b', 'c')
    t.match(first, { channel: 'a', now: { content: { name: 'Film 1' } }, next: null })
    t.match(await client.scheduleNow('b'), [{ channel: 'b', now: null, next: { content: { name: 'Film 2' } } }])
  })

  t.test('hidden titles', async t => {
    t.match(await client.hide(2), { code: 200 })
    await client.hide(1)
    const { collection, meta } = await client.hidden({ perPage: 1 })
    const shown: { content_id: number; content: Schemas['Content']; created_at: string } | undefined = collection[0]
    t.match(shown, { content_id: 1, content: { name: 'Film 1' } }, 'the newest element comes first')
    t.match(meta, { total_count: 2, next_page: 2 })
    t.match((await client.hidden({ page: 2, perPage: 1 })).collection, [{ content_id: 2 }])
    t.strictSame((await client.get('/continue-watching')).collection, [])
    t.strictSame(
      (await client.get('/recommendations')).map(({ id }) => id),
      [3]
    )
    for (const { content_id } of (await client.hidden()).collection) t.match(await client.unhide(content_id), { code: 200 })
    t.equal((await client.hidden()).meta.total_count, 0)
    t.match(await errorOf(client.unhide(2)), { kind: 'refused', status: 404 })
    t.equal((await client.get('/continue-watching')).collection.length, 1)
  })

  t.test('plays, and what they add up to in a year', async t => {
    const { client } = clientOf(t, baseUrl)
    await newViewer(app, client)
    for (const content_id of [1, 2]) await client.report({ content_id, percentage: 95 })
    await client.report({ content_id: 1, percentage: 5 })
    await client.report({ content_id: 1, percentage: 95 })
    const { collection, meta } = await client.plays({ perPage: 2 })
    const [last]: Schemas['Play'][] = collection
    t.match(last, { content_id: 1, content: { name: 'Film 1' } })
    t.equal(meta.total_count, 3)
    t.equal((await client.plays({ content_id: [2], from: '2020-01-01T00:00:00Z' })).meta.total_count, 1)
    t.equal((await client.plays({ to: '2020-01-01T00:00:00Z' })).meta.total_count, 0)

    const inNewYork = new Intl.DateTimeFormat('en', { timeZone: 'America/New_York', year: 'numeric', month: 'numeric' })
    const [month, year] = inNewYork
      .format(Date.parse(last?.at ?? ''))
      .split('/')
      .map(Number)
    const { by_month, top, ...sums }: Schemas['Year'] = await client.year(Number(year), { timezone: 'America/New_York' })
    t.match(sums, { year, plays: 3, titles: 2 })
    t.equal(by_month[Number(month) - 1]?.plays, 3)
    t.match(top, [{ content: { name: 'Film 1' }, plays: 2 }, { plays: 1 }])
    t.equal((await client.year(1970)).plays, 0)
    t.match(await errorOf(client.year(1969)), { kind: 'refused', status: 404 })
  })

  t.test('what was watched can be left out', async t => {
    const { client } = clientOf(t, baseUrl)
    await newViewer(app, client)
    await client.report({ content_id: 1, percentage: 95 })
    const { rows } = await client.home({ watched: false, rails: 0 })
    const proposed = rows.flatMap(({ kind, items }) => (kind === 'popular' || kind === 'new' ? items : []))
    t.notOk(proposed.some(({ content }) => content.id === 1))
    const { collection } = await client.get('/contents', { params: { query: { watched: true, order_by: 'popularity' } } })
    t.match(collection, [{ id: 1 }])
  })

  t.test('the rows of a start page are a union by their kind', async t => {
    const { client } = clientOf(t, baseUrl)
    t.strictSame(
      (await client.home({ items: 2, rails: 0 })).rows.map(({ kind, items }) => [kind, items.length]),
      [
        ['popular', 2],
        ['new', 1]
      ]
    )
    await newViewer(app, client)
    await client.post('/history', { body: { content_id: 1, time: 7, percentage: 20 } })
    const [row] = (await client.home()).rows
    if (row?.kind !== 'continue_watching') return t.fail(`${row?.kind}`)
    t.equal(row.items[0]?.history?.time, 7)
    // @ts-expect-error Only the rows of rails have a name.
    const name: string = row.name
    return t.equal(name, null)
  })

  const misused = async () => {
    // @ts-expect-error No such path.
    await client.get('/content')
    // @ts-expect-error There is no such method for it.
    await client.delete('/contents')
    // @ts-expect-error The path needs its parameter.
    await client.get('/contents/{contentId}')
    // @ts-expect-error The id is a number.
    await client.post('/watchlist', { body: { content_id: '1' } })
    // @ts-expect-error An answer to a write has no data.
    return (await client.delete('/history')).collection
  }
  t.type(misused, 'function')
})

t.test('errors say what is wrong and what to do', async t => {
  const { app, baseUrl } = await serve(t)
  const { client } = clientOf(t, baseUrl)
  const { email = '' } = await addUser(app)

  t.match(await errorOf(client.signIn(email, 'wrong')), { kind: 'wrong-credentials', status: 401, advice: /again/ })
  t.equal(await kindOf(clientOf(t, 'http://127.0.0.1:1').client.signIn(email, 'any')), 'no-answer')
  t.match(await errorOf(client.get('/history')), { kind: 'signed-out', status: 401, advice: /signIn/ })
  t.match(await errorOf(client.get('/contents', { params: { query: { perPage: 1000 } } })), {
    kind: 'refused',
    status: 400,
    code: 400,
    message: 'perPage must be an integer from 1 to 100',
    fields: [{ field: 'perPage', message: /integer/ }],
    requestId: /^[0-9a-f]{32}$/
  })
  t.match(await errorOf(client.get('/contents/{contentId}', { params: { path: { contentId: '9' } } })), { kind: 'refused', status: 404 })

  t.test('an address that calls too often', async t => {
    const { client } = clientOf(t, (await serve(t, { settings: { RATE_LIMIT_ADDRESS: '1' } })).baseUrl)
    await client.get('/terms')
    const error = await errorOf(client.get('/terms'))
    t.match(error, { kind: 'busy', status: 429, message: /too many/i, advice: /retryAfter/ })
    t.ok(Number(error.retryAfter) > 0 && Number(error.retryAfter) <= 60, `${error.retryAfter}`)
  })

  /** A client of a server that stands in for the service. */
  const behind = async (t: Test, answer: RequestListener, options: Partial<ClientOptions> = {}) => {
    const server = createServer(answer).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => {
      server.closeAllConnections()
      server.close()
    })
    return clientOf(t, `http://127.0.0.1:${(server.address() as AddressInfo).port}`, options).client
  }

  t.test('an answer of a proxy', async t => {
    const date = new Date(Date.now() + 60_000).toUTCString()
    const answers: [number, string, Record<string, string>, object][] = [
      [502, '<h1>Bad Gateway</h1>', {}, { kind: 'failed', message: 'The response was HTTP 502', retryAfter: undefined }],
      [500, '{"code":"E"}', {}, { kind: 'failed', code: undefined, fields: [] }],
      [403, '<h1>Forbidden</h1>', {}, { kind: 'no-answer', status: undefined, cause: /not from the service/ }],
      [404, '{"code":404}', {}, { kind: 'no-answer', status: undefined }],
      [401, '', {}, { kind: 'no-answer', status: undefined }],
      [429, '', {}, { kind: 'busy', status: 429 }],
      [503, '', { 'retry-after': date }, { kind: 'busy', retryAfter: Number }],
      [503, '', { 'retry-after': 'soon' }, { kind: 'busy', retryAfter: undefined }],
      [200, '<h1>Welcome to our hotel</h1>', {}, { kind: 'no-answer', advice: /connection/ }],
      [200, '{"hotel":true}', {}, { kind: 'no-answer' }],
      [200, '', { 'content-length': '0' }, { kind: 'no-answer' }]
    ]
    for (const [status, text, headers, wanted] of answers) {
      const client = await behind(t, (_request, response) => response.writeHead(status, headers).end(text))
      t.match(await errorOf(client.get('/terms')), wanted, `${status} ${text}`)
    }
  })

  t.test('no answer at all', async t => {
    const silent = await behind(t, () => {}, { timeout: 50 })
    t.match(await errorOf(silent.get('/terms')), { kind: 'no-answer', message: /not respond/, cause: { name: 'TimeoutError' } })
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const collecting = setInterval(collect, 10)
    const patient = await behind(t, () => {}, { timeout: 500 })
    t.equal(
      await Promise.race([kindOf(patient.get('/terms')), sleep(5000, 'it still waits')]),
      'no-answer',
      'whatever is collected meanwhile'
    )
    clearInterval(collecting)
    const begun = await behind(t, (_request, response) => response.writeHead(200).write('{"success"'), { timeout: 100 })
    t.equal(await kindOf(begun.get('/terms')), 'no-answer', 'the timeout includes the body')
    const cut = await behind(t, (_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"success"')
      setTimeout(() => response.destroy(), 20)
    })
    t.equal(await kindOf(cut.get('/terms')), 'no-answer')

    const free = createTcpServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const { port } = free.address() as AddressInfo
    free.close()
    t.match(await errorOf(clientOf(t, `http://127.0.0.1:${port}`).client.get('/terms')), { kind: 'no-answer', advice: /CORS_ORIGIN/ })
  })

  t.test('an aborted call throws the reason of the abort', async t => {
    const client = await behind(t, () => {})
    const reason = new Error('the page was left')
    const abort = new AbortController()
    setTimeout(() => abort.abort(reason), 20)
    await t.rejects(client.get('/terms', { signal: abort.signal }), reason)
  })
})

const run = promisify(execFile)
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const env = { PATH: process.env.PATH, HOME: process.env.HOME }

t.test('what is packed and installed is plain JavaScript with types', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'viewer-client-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const npm = (cwd: string, ...args: string[]) =>
    run(...commandApart('npm', ...args, '--no-audit', '--no-fund', '--no-update-notifier'), { cwd, env })
  await npm(join(root, 'client'), 'pack', '--pack-destination', folder)
  const [file = ''] = await readdir(folder)
  const packages = ['openapi-fetch', 'openapi-typescript-helpers'].map(name => join(root, 'node_modules', name))
  // As from the registry, but without a network.
  await npm(folder, 'install', '--offline', '--install-links', join(folder, file), ...packages)
  const dist = join(folder, 'node_modules/viewer-client/dist')
  const readme = await readFile(join(folder, 'node_modules/viewer-client/README.md'), 'utf8')

  t.test('that needs only the packages that it names', async t => {
    const { dependencies, exports } = JSON.parse(await readFile(join(root, 'client/package.json'), 'utf8'))
    const files = await readdir(dist)
    for (const file of Object.values<string>(exports['.'])) t.ok(files.includes(file.replace('./dist/', '')), file)
    const texts = await Promise.all(files.map(file => readFile(join(dist, file), 'utf8')))
    const named = texts.flatMap(text => [...text.matchAll(/(?:from|import) ?\(?['"]([^'"]+)['"]/g)].map(([, name = '']) => name))
    const foreign = new Set(named.filter(name => !name.startsWith('.')))
    t.strictSame([...foreign], Object.keys(dependencies))
  })

  t.test('that runs in Node as it is', async t => {
    const script =
      "const { createClient } = await import('viewer-client'); createClient({ baseUrl: 'http://localhost' }).user().then(console.log)"
    const { stdout } = await run(...apart('--input-type=module', '--eval', script), { cwd: folder, env })
    t.equal(stdout.trim(), 'undefined', 'and the process is free to exit')
  })

  t.test('whose files are where the README says', async t => {
    t.match(readme, `client/${file}`, 'the name of the package')
    const copying = readme.match(/^(mkdir|cp) .*$/gm) ?? []
    t.equal(copying.length, 3)
    await run('sh', ['-ec', copying.join('\n')], { cwd: folder, env })
    const maps = [...readme.matchAll(/"imports": (\{.*\}) \}/g)].map(([, map = '']) => JSON.parse(map))
    t.equal(maps.length, 2)
    for (const path of maps.flatMap(map => Object.values<string>(map))) await t.resolves(access(join(folder, 'public', path)), path)
  })

  t.test('whose player in the README leaves no error uncaught', async t => {
    const [, script = ''] = /## A player.*?<script type="module">\n(.*?)<\/script>/s.exec(readme) ?? []
    const page = `
      const texts = []
      const listeners = []
      const element = { currentTime: 1, duration: 2, addEventListener: (_, listener) => listeners.push(listener) }
      Object.defineProperty(element, 'textContent', { set: text => texts.push(text) })
      Object.assign(globalThis, {
        document: { querySelector: () => element },
        localStorage: { getItem: () => null, setItem: () => { throw new Error('The store is full') } },
        prompt: () => 'text',
        setInterval: work => work()
      })
      process.on('exit', () => console.log(texts.join()))
      setImmediate(() => { for (const listener of listeners) listener() })
    `
    const player = script.replace('https://viewer.example.com', 'http://127.0.0.1:1')
    await writeFile(
      join(folder, 'player.mjs'),
      `import { createClient } from 'viewer-client'\n${page}${player.replace(/^ *import .*$/m, '')}`
    )
    const { stdout } = await run(...apart('player.mjs'), { cwd: folder, env })
    t.match(stdout, /The service did not respond\. Check/)
  })

  t.test('whose types serve an app for browsers', async t => {
    const app = [
      "import { createClient, type Schemas } from 'viewer-client'",
      "const viewer = createClient({ baseUrl: 'http://localhost' })",
      "const { collection } = await viewer.get('/history', { params: { query: { content_id: [1] } } })",
      'const first: number | undefined = collection[0]?.time',
      "const wrong: string = (await viewer.get('/recommendations'))[0]?.id",
      "export type Name = Schemas['Content']['name']",
      'export { first, wrong }'
    ]
    await writeFile(join(folder, 'app.ts'), app.join('\n'))
    const target = { target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: [] }
    const compilerOptions = { ...target, noEmit: true, strict: true, skipDefaultLibCheck: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
    const { stdout } = await run(...apart(tsc, '-p', '.'), { cwd: folder, env }).catch(failed => failed)
    const lines = stdout.trim().split('\n')
    t.equal(lines.length, 1, stdout)
    t.match(lines[0], /app\.ts\(5,7\): error TS2322/, 'only the real mistake is reported')
  })
})
