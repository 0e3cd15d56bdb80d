import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { apart } from '../helpers/apart.js'
import { build } from '../helpers/app.js'
import { databaseUrl } from '../helpers/database.js'

t.test('npm run demo fills a database', async t => {
  const url = await databaseUrl(t)
  await promisify(execFile)(...apart('--import', 'tsx', 'scripts/demo.ts'), { env: { ...process.env, MONGO_URL: url } })
  const app = await build(t, { url })
  t.ok((await app.inject('/contents')).json().data.meta.total_count >= 200)
  t.ok((await app.inject('/rail-collections')).json().data.collection.length > 0)
})
