import { spawn } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { MongoClient } from 'mongodb'
import t from 'tap'
import { operator } from '../../scripts/command-line.js'
import { root } from '../../scripts/root.js'
import { readArguments } from '../../scripts/user/arguments.js'
import { importFiles } from '../../src/import/index.js'
import { apart } from '../helpers/apart.js'
import { addUser, build, providerUser } from '../helpers/app.js'
import { commandsIn, startCommand } from '../helpers/commands.js'
import { databaseOf, databaseUrl } from '../helpers/database.js'
import { folderOf } from '../helpers/folder.js'
import { proxyTo } from '../helpers/proxy.js'
import { built } from '../helpers/run.js'
import { until } from '../helpers/until.js'

const compiled = built('scripts/user.js')
/** What `npm run user` starts: it takes the source where the development tools are installed. */
const anywhere = join(root, 'scripts/run.mjs')

t.test('npm run user', async t => {
  const url = await databaseUrl(t)
  const app = await build(t, { url })
  const run = commandsIn(t, url)
  const user = (args: string[], options?: Parameters<typeof run>[2]) => run('user', args, options)
  const logIn = async (email: string, password: string) => {
    const response = await app.inject({ method: 'POST', url: '/login', payload: { email, password } })
    return response.statusCode
  }

  t.test('adds a user with the password of the standard input', async t => {
    const { out, status } = await user(['add', 'Grace@Example.com', '--name', 'Grace'], { input: 'a first password\n' })
    t.equal(status, 0)
    t.strictSame(JSON.parse(out), { id: 1, email: 'Grace@Example.com' })
    t.equal(await logIn('grace@example.com', 'a first password'), 200)
  })

  t.test('lists the users', async t => {
    const { out } = await startCommand(t, anywhere, ['user', 'list'], { settings: { MONGO_URL: url } }).end()
    t.strictSame(JSON.parse(out), { id: 1, email: 'Grace@Example.com', name: 'Grace', disabled: false })
  })

  t.test('refuses a second user of the same e-mail, in whatever case', async t => {
    const { err, status } = await user(['add', 'grace@example.com'], { input: 'a first password' })
    t.equal(status, 1)
    t.equal(err, 'There is already a user grace@example.com\n')
  })

  t.test('changes the password and ends the sessions', async t => {
    const signedIn = await app.inject({
      method: 'POST',
      url: '/login',
      payload: { email: 'grace@example.com', password: 'a first password' }
    })
    t.equal((await user(['password', 'grace@example.com'], { input: 'a second one' })).status, 0)
    t.equal(await logIn('grace@example.com', 'a first password'), 401)
    t.equal(await logIn('grace@example.com', 'a second one'), 200)
    const { access_token, refresh_token } = signedIn.json().data
    t.equal((await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })).statusCode, 401)
    const headers = { authorization: `Bearer ${access_token}` }
    await until(async () => (await app.inject({ url: '/history', headers })).statusCode === 401, { within: 2000 })
  })

  t.test('disables and enables, and sessions end with the first', async t => {
    const { refresh_token } = (
      await app.inject({ method: 'POST', url: '/login', payload: { email: 'grace@example.com', password: 'a second one' } })
    ).json().data
    t.match(JSON.parse((await user(['disable', 'GRACE@example.com'])).out), { id: 1, disabled: true })
    t.equal(await logIn('grace@example.com', 'a second one'), 401)
    t.match(JSON.parse((await user(['enable', 'grace@example.com'])).out), { id: 1, disabled: false })
    const { statusCode } = await app.inject({ method: 'POST', url: '/login/refresh', payload: { refresh_token } })
    t.equal(statusCode, 401, 'the session stays ended')
    t.equal(await logIn('grace@example.com', 'a second one'), 200)
  })

  t.test('disables and enables users of an identity provider, by id or by e-mail', async t => {
    const issuer = 'https://id.example.com/'
    const id = await providerUser(app, issuer, 'auth0|hedy')
    const named = await providerUser(app, issuer, 'auth0|joan')
    const client = await MongoClient.connect(url)
    t.teardown(() => client.close())
    const email = { email: 'Joan@example.com', email_key: 'joan@example.com' }
    await client.db().collection<{ _id: number }>('users').updateOne({ _id: named }, { $set: email })
    const listed = (await user(['list'])).out.trim().split('\n')
    t.strictSame(JSON.parse(listed[1] ?? ''), { id, name: '', sub: 'auth0|hedy', disabled: false }, 'the list shows the id')

    for (const [who, _id] of [
      [String(id), id],
      ['JOAN@example.com', named]
    ] as const) {
      t.match(JSON.parse((await user(['disable', who])).out), { id: _id, disabled: true })
      t.ok((await app.data.users.byId(_id))?.disabled_at)
      t.match(JSON.parse((await user(['enable', who])).out), { id: _id, disabled: false })
      t.equal((await app.data.users.byId(_id))?.disabled_at, null)
    }
  })

  t.test('exports a user into a file that nobody else may read', async t => {
    const folder = folderOf(t)
    const out = join(folder, 'grace.json')
    t.strictSame(await user(['export', '1', '--out', out]), { out: '', err: '', status: 0 })
    const file = await readFile(out, 'utf8')
    t.match(JSON.parse(file), { users: [{ id: 1, email: 'Grace@Example.com' }], history: [], sessions: Array, exported_at: String })
    t.notMatch(file, /password/)
    const child = await app.data.profiles.add(1, { name: 'Child', max_age: 6 })
    t.match(JSON.parse((await user(['list'])).out.trim().split('\n').at(-1) ?? ''), { id: child, name: 'Child', account_id: 1 })
    await user(['export', '1', '--out', out])
    const { users } = JSON.parse(await readFile(out, 'utf8'))
    t.match(users, [{ id: 1 }, { id: child, account_id: 1, max_age: 6 }])
    const elsewhere = await build(t)
    await importFiles(databaseOf(elsewhere), { 'users.json': JSON.stringify(users) })
    t.match(
      await elsewhere.data.profiles.list(1),
      [{ _id: 1 }, { _id: child, name: 'Child', max_age: 6 }],
      'an import accepts the exported users'
    )
    t.equal((await stat(out)).mode & 0o777, 0o600)
    for (const [path, sentence] of [
      [folder, / is a folder\n$/],
      [join(folder, 'none', 'x.json'), / cannot be written: ENOENT/]
    ] as const) {
      const { err, status } = await user(['export', '1', '--out', path])
      t.equal(status, 1)
      t.match(err, sentence)
    }
    t.strictSame(await readdir(folder), ['grace.json'])
  })

  t.test('erases a user, if that is what was meant', async t => {
    const { _id } = await addUser(app)
    const asked = await user(['erase', String(_id)])
    t.strictSame([asked.err, asked.status], ['Without a terminal to ask on, erase needs --yes\n', 1])
    t.ok(await app.data.users.byId(_id))
    const done = await user(['erase', String(_id), '--yes'])
    t.strictSame([JSON.parse(done.out), done.status], [{ id: _id, erased: true }, 0])
    t.equal(await app.data.users.byId(_id), null)
    t.equal((await user(['erase', String(_id), '--yes'])).err, `There is no user ${_id}\n`)
  })

  t.test('says so where the database is away in the middle, and completes it later', async t => {
    const { _id } = await addUser(app)
    const folder = folderOf(t)
    const proxy = await proxyTo(t, url)
    const away = async (at: string, args: string[]) => {
      proxy.comeBack()
      const cut = proxy.at(at, proxy.leave)
      const { err, status } = await user(args, { settings: { MONGO_URL: proxy.url } })
      await cut
      t.equal(status, 1)
      t.match(err, /^The database does not respond: /)
      return err
    }
    await away('watchlist', ['export', String(_id), '--out', join(folder, 'x.json')])
    t.strictSame(await readdir(folder), [])
    t.match(await away('deletes', ['erase', String(_id), '--yes']), /\nRun the command again to complete the erasure\.\n$/)
    proxy.comeBack()
    // Unless the service has completed it by then.
    const { out, err } = await user(['erase', String(_id), '--yes'])
    t.match(out + err, /^\{"id":\d+,"erased":true\}\n$|^There is no user \d+\n$/)
    t.equal(await app.data.users.byId(_id), null)
  })

  t.test('ends quietly where the reader of a long list leaves', async t => {
    const url = await databaseUrl(t)
    const client = await MongoClient.connect(url)
    t.teardown(() => client.close())
    const at = new Date()
    const many = Array.from({ length: 5000 }, (_, i) => ({
      _id: i + 1,
      name: 'A name that fills the pipe',
      disabled_at: null,
      created_at: at,
      updated_at: at
    }))
    await client.db().collection<{ _id: number }>('users').insertMany(many)
    const [command, args] = apart(compiled, 'list')
    // Only a shell has real pipes: those of `spawn` are sockets.
    const script = '{ "$@"; echo "status $?" >&2; } | head -n 1'
    const child = spawn('sh', ['-c', script, 'sh', command, ...args], { env: { ...process.env, MONGO_URL: url } })
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
    t.match(JSON.parse(out), { id: 1 })
    t.equal(err, 'status 0\n')
  })

  t.test('asks for the passwords that PUT /me/password takes', async t => {
    for (const action of ['add', 'password']) {
      for (const input of ['', '7 chars', '7 chars\n', 'x'.repeat(1001)]) {
        const { out, err, status } = await user([action, 'grace@example.com'], { input })
        t.strictSame([out, status], ['', 1], `${action} ${input}`)
        t.match(err, /^The password must be .*8 to 1,?000 characters\n$/)
      }
    }
    t.equal(await logIn('grace@example.com', 'a second one'), 200)
    for (const input of ['8 chars!', 'x'.repeat(1000)])
      t.match(await user(['password', 'grace@example.com'], { input }), { err: '', status: 0 })
  })

  for (const [args, sentence] of [
    [['disable', '987654321'], /^There is no user 987654321/],
    [['export', '987654321', '--out', 'x'], /^There is no user 987654321/],
    [['add', 'empty@example.com'], /^The password must be /]
  ] as [string[], RegExp][]) {
    t.test(`says what is wrong with ${args.join(' ')}`, async t => {
      const { err, status } = await user(args)
      t.equal(status, 1)
      t.match(err, sentence)
    })
  }

  t.test('is recorded, whatever comes of it, without names and e-mails', async t => {
    const records = await databaseOf(app).collection('audit').find().sort({ at: 1 }).toArray()
    const told = records.map(({ action, subject, outcome }) => `${action} ${subject} ${outcome}`)
    t.strictSame(told.slice(0, 4), ['user add 1 done', 'user add 1 refused', 'user password 1 done', 'user disable 1 done'])
    for (const line of ['user export 1 done', 'user export 1 failed', 'user disable 987654321 refused', 'user add null refused'])
      t.ok(told.includes(line), line)
    const erased = told.filter(line => line.startsWith('user erase'))
    t.match(erased, [/refused$/, /done$/, /refused$/, /failed$/, /(done|refused)$/])
    t.notOk(
      told.some(line => line.startsWith('user list')),
      'reading leaves no record'
    )
    t.ok(records.every(({ actor }) => actor === operator()))
    t.notMatch(JSON.stringify(records), /example\.com|grace|joan|hedy/i)
  })

  t.test('needs MONGO_URL', async t => {
    const { err, status } = await startCommand(t, compiled, ['list']).end()
    t.equal(status, 1)
    t.match(err, /^MONGO_URL is not set/)
  })
})

t.test('says how it was run', async t => {
  const { err, status } = await startCommand(t, anywhere, ['user']).end()
  t.equal(status, 1)
  t.match(err, /^Usage: npm run user -- ACTION\n/)
  t.match((await startCommand(t, compiled, []).end()).err, /^Usage: node \S+user\.js ACTION\n/, 'where npm is not used')
})

t.test('its arguments', async t => {
  const email = 'grace@example.com'
  t.strictSame(readArguments(['add', email, '--name', 'Grace']), {
    action: 'add',
    given: email,
    who: email,
    name: 'Grace',
    out: '',
    yes: false
  })
  t.strictSame(readArguments(['disable', '5']), { action: 'disable', given: '5', who: 5, name: '', out: '', yes: false })
  t.match(readArguments(['list']), { action: 'list' })

  for (const [args, message] of [
    [[], /^Usage: node \S+ ACTION\n/],
    [['remove', 'grace@example.com'], /^Usage/],
    [['add'], /^Missing: an e-mail address\n/],
    [['add', 'grace'], /^grace is not an e-mail address\n/],
    [['enable', 'grace'], /^grace is not an e-mail address or an id/],
    [['disable', '9'.repeat(20)], /^9{20} is not an e-mail address or an id/],
    [['password', '1'], /^1 is not an e-mail address\n/],
    [['export', '1'], /^--out FILE is missing\n/],
    [['export', 'grace@example.com', '--out', 'x'], /^grace@example.com is not an id\n/],
    [['erase', '0'], /^0 is not an id\n/],
    [['erase'], /^Missing: an id\n/],
    [['constructor'], /^Usage/]
  ] as [string[], RegExp][])
    t.throws(() => readArguments(args), { message }, args.join(' '))
})
