import t from 'tap'
import { build } from '../helpers/app.js'

t.test('answers that are ready in one turn of the event loop leave together', async t => {
  const order: string[] = []
  const app = await build(t, {
    extend: app =>
      void app.get('/asked/:n', { config: { admission: 'public' } }, ({ params }, reply) => {
        const { n } = params as { n: string }
        order.push(`asked ${n}`)
        reply.raw.once('finish', () => order.push(`sent ${n}`))
        return { n }
      })
  })
  const answers = await Promise.all([app.inject('/asked/1'), app.inject('/asked/2'), app.inject('/asked/3')])
  for (const { statusCode } of answers) t.equal(statusCode, 200)
  t.strictSame(order, ['asked 1', 'asked 2', 'asked 3', 'sent 1', 'sent 2', 'sent 3'])
})
