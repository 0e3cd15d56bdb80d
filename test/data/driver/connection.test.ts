import t from 'tap'
import { connectionTo } from '../../../src/data/driver/connection.js'

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
