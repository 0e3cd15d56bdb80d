import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type Db, type Document, type IndexDescriptionInfo, MongoClient } from 'mongodb'
import t, { type Test } from 'tap'
import { missing } from '../../scripts/processes.js'
import { root } from '../../scripts/root.js'
import { dataOf } from '../../src/database/data.js'
import { hashPassword } from '../../src/identity/passwords.js'
import { importFiles } from '../../src/import/index.js'
import { apart } from '../helpers/apart.js'
import { password, settingsFor } from '../helpers/app.js'
import { folderOf } from '../helpers/folder.js'
import { replicaSet } from '../helpers/replica-set.js'
import { built } from '../helpers/run.js'
import { serving } from '../helpers/serving.js'
import { until } from '../helpers/until.js'

const lists = ['history', 'watchlist', 'hidden', 'ratings'] as const

/** The commands of the documents, in their order. */
const documentedCommands = async () => {
  const document = await readFile(join(root, 'docs/operations.md'), 'utf8')
  const section = document.slice(document.indexOf('## Backup and restore'), document.indexOf('## Secrets'))
  return [...section.matchAll(/^ *```sh\n(.*?)^ *```/gms)].flatMap(([, block = '']) => block.trim().split(/\n */))
}

/** What `mongodump` and `mongorestore --drop` do with a database that nobody writes to. */
const copyOf = async (db: Db) => {
  const copied: { name: string; documents: Document[]; indexes: IndexDescriptionInfo[] }[] = []
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const collection = db.collection(name)
    copied.push({ name, documents: await collection.find().toArray(), indexes: await collection.indexes() })
  }
  return async () => {
    for (const { name, documents, indexes } of copied) {
      await db.dropCollection(name).catch(() => undefined)
      const collection = await db.createCollection(name)
      if (documents.length > 0) await collection.insertMany(documents)
      const wanted = indexes.filter(index => index.name !== '_id_')
      if (wanted.length > 0) await collection.createIndexes(wanted)
    }
  }
}

/** Runs the commands of the documents on this database. Each has to be run once, in the order in which they are written there. */
const operator = async (t: Test, url: string, db: Db) => {
  const commands = await documentedCommands()
  const folder = folderOf(t)
  const absent = missing(['mongodump', 'mongorestore'])
  t.comment(absent ? `${absent} is not on the PATH: the collections are copied` : 'with mongodump and mongorestore')
  let restore: () => Promise<void>

  const shell = async (command: string, args: string[]) => {
    const child = spawn(command, args, { cwd: folder, env: { ...process.env, MONGO_URL: url }, stdio: ['ignore', 'pipe', 'pipe'] })
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
    t.equal(status, 0, `${command} ${args.join(' ')}: ${out}${err}`)
    return out
  }
  const run = async (words: string) => {
    const line = String(commands.shift())
    t.match(line, words)
    const [, product] = /^npm run restore -- (.*)$/.exec(line) ?? []
    if (product) return shell(...apart(built('scripts/restore.js'), ...product.split(' ')))
    if (!absent) return shell('bash', ['-c', line.replace(/mongodb:\S+(?=')/, url.replace('/viewer?', '/?'))])
    if (words === 'mongodump') restore = await copyOf(db)
    else await restore()
    return ''
  }
  return { run, folder, left: () => commands }
}

interface Call {
  method?: string
  token?: string
  body?: object
}

/** Calls of the process at this address. */
const callerOf = (address: string) => {
  const call = async (path: string, { method = 'GET', token, body }: Call = {}) => {
    const headers = { ...(token && { authorization: `Bearer ${token}` }), ...(body && { 'content-type': 'application/json' }) }
    const response = await fetch(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    const { data } = (await response.json()) as Document
    return { status: response.status, data }
  }
  const post = (path: string, body: object, token = '') => call(path, { method: 'POST', body, token })
  const signIn = async (name: string, secret = password) => {
    const { status, data } = await post('/login', { email: `${name}@example.com`, password: secret })
    return { status, token: String(data?.access_token), refresh_token: String(data?.refresh_token), id: data?.user.id }
  }
  const changes = async (token: string, since = '') => {
    const { data } = await call(`/changes${since && `?since=${since}`}`, { token })
    if (data.more) throw new Error('One page has all')
    return data
  }
  const remove = (path: string, token: string, body?: object) => call(path, { method: 'DELETE', token, ...(body && { body }) })
  return { call, post, remove, signIn, changes }
}

const contentIds = (page: Document) => lists.map(list => page[list].map(({ content_id }: Document) => content_id))

t.test('a backup is restored by the steps of the documents, and brings back nothing that has ended since', async t => {
  const { url } = await replicaSet(t, 1)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const db = client.db()
  const data = dataOf(db, settingsFor(url))
  const settings = { MONGO_URL: url, DEVICE_URL: 'https://app.example.com/tv' }
  const { run, folder, left } = await operator(t, url, db)

  const first = await serving(t, { settings })
  const { call, post, remove, signIn, changes } = callerOf(first.address)
  await importFiles(db, { 'contents.ndjson': [1, 2, 3].map(id => `{"id":${id},"type":"film","name":"Film ${id}"}`).join('\n') })
  await until(async () => (await call('/contents/3')).status === 200)
  const add = async (name: string) => data.users.add({ email: `${name}@example.com`, name, password_hash: await hashPassword(password) })
  for (const name of ['ada', 'bob', 'carl', 'dora']) await add(name)
  const [ada, leaving, bob] = [await signIn('ada'), await signIn('ada'), await signIn('bob')]
  for (const { token } of [ada, bob]) {
    await post('/history', { content_id: 1, time: 5 }, token)
    await post('/watchlist', { content_id: 1 }, token)
  }
  const device = (await post('/login/device', {})).data
  t.equal((await post(`/login/device/${device.user_code}`, { approve: true }, leaving.token)).status, 200)
  const told = await changes(ada.token)
  t.strictSame(contentIds(told), [[1], [1], [], []])
  await run('mongodump')

  // What has happened since the backup.
  await post('/logout', {}, leaving.token)
  t.equal((await remove('/me', bob.token, { password })).status, 200)
  await data.users.setPassword('carl@example.com', await hashPassword('a password that nobody else knows'))
  await data.users.disable('dora@example.com')
  const eve = await add('eve')
  const { token: tokenOfEve } = await signIn('eve')
  await post('/history', { content_id: 2, time: 5 }, ada.token)
  await remove('/watchlist', ada.token)
  await call('/hidden/3', { method: 'PUT', token: ada.token })
  const { cursor } = await changes(ada.token, told.cursor)

  await first.stop()
  t.match(JSON.parse(await run('save')), { saved: { erasures: 1, users: 2, audit: 1 } })
  t.equal((await stat(join(folder, 'notes.ndjson'))).mode & 0o777, 0o600)
  await run('mongorestore')
  t.ok(await data.users.byId(bob.id), 'a restore brings back erased users')
  t.match(JSON.parse(await run('finish')), { finished: true, brought_back: { erasures: 1, users: 2, audit: 1 } })
  t.match(await db.collection('audit').find().sort({ at: 1 }).toArray(), [
    { action: 'restore save', subject: 'notes.ndjson', outcome: 'done' },
    { action: 'restore finish', subject: 'notes.ndjson', outcome: 'done' }
  ])
  t.strictSame(left(), [])
  const again = callerOf((await serving(t, { settings })).address)

  t.test('no session and no token is alive', async t => {
    for (const { token, refresh_token } of [ada, leaving, bob, { token: tokenOfEve, refresh_token: '' }]) {
      t.equal((await again.call('/history', { token })).status, 401)
      if (refresh_token) t.equal((await again.post('/login/refresh', { refresh_token })).status, 401)
    }
    const asked = await again.post('/login/device/token', { device_code: device.device_code })
    t.not(asked.status, 200, 'nor does an approved device sign in')
  })

  t.test('who was kept out stays out', async t => {
    await until(async () => (await data.users.byId(bob.id)) === null)
    for (const [list, owner] of [
      ['history', 'user_id'],
      ['watchlist', 'user_id'],
      ['sessions', 'account_id']
    ] as const)
      t.equal(await db.collection(list).countDocuments({ [owner]: bob.id }), 0, list)
    t.equal((await again.signIn('bob')).status, 401)
    t.equal((await again.signIn('carl')).status, 401)
    t.equal((await again.signIn('carl', 'a password that nobody else knows')).status, 200)
    t.equal((await again.signIn('dora')).status, 401)
    t.equal((await again.signIn('eve')).status, 401, 'users who came after the backup are gone')
  })

  t.test('no id is given twice', async t => {
    t.ok((await add('frank'))._id > 1e9)
    const { token } = await again.signIn('frank')
    await again.post('/watchlist', { content_id: 1 }, token)
    t.ok((await again.call('/watchlist', { token })).data.collection[0].id > 1e9)
    t.notOk(await data.users.byId(eve._id))
  })

  t.test('an app that keeps a copy drops it, once', async t => {
    const { token } = await again.signIn('ada')
    const page = await again.changes(token, cursor)
    t.equal(page.reset, true)
    t.strictSame(contentIds(page), [[1], [1], [], []], 'the lists are those of the backup')
    await again.post('/history', { content_id: 3, time: 5 }, token)
    const next = await again.changes(token, page.cursor)
    t.equal(next.reset, false)
    t.ok(next.history.some(({ content_id }: Document) => content_id === 3))
  })
})
