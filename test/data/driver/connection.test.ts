import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { connectionTo } from '../../../src/data/driver/connection.js'
import { databaseUrl } from '../../helpers/database.js'
import { proxyTo } from '../../helpers/proxy.js'

t.test('options of a connection string about reads and writes are ignored, the others count', async t => {
  const path = encodeURIComponent('/a?b&c=d')
  const cases: [url: string, options: object, database: string][] = [
    ['mongodb://127.0.0.1', {}, 'viewer'],
    ['mongodb://127.0.0.1/x', {}, 'x'],
    ['mongodb://127.0.0.1/x?', {}, 'x'],
    ['mongodb://127.0.0.1/?w=1&maxPoolSize=3', { maxPoolSize: 3 }, 'viewer'],
    ['mongodb://127.0.0.1/x?maxPoolSize=3&w=0', { maxPoolSize: 3 }, 'x'],
    [
      `mongodb://u:p%3F@a,b:2/x?tlsCAFile=${path}&READPREFERENCE=nearest&readPreferenceTags=dc:a&readPreferenceTags=`,
      { tlsCAFile: '/a?b&c=d' },
      'x'
    ],
    ['mongodb://a/x?readPreference=secondary&maxStalenessSeconds=120&replicaSet=rs', { replicaSet: 'rs' }, 'x'],
    ['mongodb://a/x?readConcernLevel=linearizable&journal=false&wtimeoutMS=5&w=tag&retryWrites=false', { retryWrites: false }, 'x']
  ]
  for (const [url, options, database] of cases) {
    const { client, db } = connectionTo(url)
    t.match(client.options, options, url)
    t.equal(db.databaseName, database, url)
    for (const { readPreference, readConcern, writeConcern } of [client, db, db.collection('users')]) {
      t.equal(readPreference?.mode, 'primary', url)
      t.equal(readPreference?.tags, undefined, url)
      t.equal(readConcern, undefined, url)
      t.strictSame({ ...writeConcern }, { w: 'majority' }, url)
    }
  }
})

t.test('no command gets the answer to another that was given up', async t => {
  const proxy = await proxyTo(t, await databaseUrl(t))
  const roundTrip = 400
  proxy.slowDown(roundTrip)
  const { client, db } = connectionTo(proxy.url, { maxPoolSize: 1, heartbeatFrequencyMS: 500, serverMonitoringMode: 'poll' })
  t.teardown(() => client.close())
  await db.collection('things').insertOne({})
  const answer = async (text: string, timeoutMS: number, comment = '') => {
    const command = { find: 'things', projection: { text: { $literal: text } }, comment }
    const { cursor } = await db.command(command, { timeoutMS })
    return cursor.firstBatch[0].text
  }
  // Before, the driver does not know how long a round trip takes.
  for (let i = 0; i < 3; i++) await once(client, 'serverHeartbeatSucceeded')

  // A command that does not fit into the buffers is sent only when the proxy reads on, with less time left than a round trip takes.
  const timeout = 1200
  proxy.freeze()
  const givenUp = t.rejects(answer('of the first', timeout, 'x'.repeat(15_000_000)), { message: /roundtrip time is greater/ })
  await sleep(timeout - roundTrip / 2)
  proxy.comeBack()
  await givenUp
  t.equal(await answer('of the second', 10_000), 'of the second')
})
