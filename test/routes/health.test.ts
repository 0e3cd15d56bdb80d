import t from 'tap'
import { build } from '../helpers/app.js'

t.test('/health and /ready', async t => {
  const app = await build(t)
  for (const url of ['/health', '/ready']) {
    const response = await app.inject(url)
    t.equal(response.statusCode, 200)
    t.match(response.json(), { success: true, data: {} })
    const head = await app.inject({ method: 'HEAD', url })
    t.strictSame([head.statusCode, head.body], [200, ''])
  }
})
