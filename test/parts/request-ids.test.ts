import t from 'tap'
import { requestId } from '../../src/http/request-ids.js'

t.test('no two requests have the same id', async t => {
  const ids = Array.from({ length: 1000 }, requestId)
  for (const id of ids) if (!/^[0-9a-f]{32}$/.test(id)) t.fail(id)
  t.equal(new Set(ids).size, ids.length)
})
