import t from 'tap'
import { build } from '../helpers/app.js'

t.test('a preparation that fails is repeated, those before it are not', async t => {
  const done: string[] = []
  const app = await build(t, {
    extend: app =>
      app.preparations.push(
        async () => void done.push('first'),
        async () => {
          if (done.push('second') < 3) throw new Error('not yet')
        }
      )
  })
  t.strictSame(done, ['first', 'second', 'second'])
  t.equal((await app.inject('/ready')).statusCode, 200)
})
