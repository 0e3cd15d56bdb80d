import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { build } from '../helpers/app.js'
import { viewerOf } from '../helpers/viewer.js'

/** An app that notes in which order answers are sent, each of which takes `cost` milliseconds. */
const noting = async (test: Test, cost = 0) => {
  const order: string[] = []
  const app = await build(test, {
    extend: app =>
      void app.get('/asked/:n', { config: { admission: 'public' } }, ({ params }, reply) => {
        const { n } = params as { n: string }
        order.push(`asked ${n}`)
        reply.raw.once('finish', () => {
          const end = performance.now() + cost
          while (performance.now() < end);
          order.push(`sent ${n}`)
        })
        return { n }
      })
  })
  return { app, order }
}

t.test('answers that are ready in one turn of the event loop leave together, those to viewers first', async t => {
  const { app, order } = await noting(t)
  const viewer = await viewerOf(app)
  const answers = await Promise.all([app.inject('/asked/1'), app.inject('/asked/2'), viewer.get('/asked/3')])
  for (const { statusCode } of answers) t.equal(statusCode, 200)
  t.strictSame(order, ['asked 1', 'asked 2', 'asked 3', 'sent 3', 'sent 1', 'sent 2'])
})

t.test('a viewer who asks while a crowd gets its answers does not wait for all of them', async t => {
  const { app, order } = await noting(t, 1)
  const viewer = await viewerOf(app)
  const crowd = 100
  const answers = Array.from({ length: crowd }, (_, n) => app.inject(`/asked/${n}`))
  while (!order.some(event => event.startsWith('sent'))) await turn()
  await viewer.get('/asked/viewer')
  t.ok(order.filter(event => event.startsWith('sent')).length < crowd / 2)
  await Promise.all(answers)
  const sent = order.filter(event => event.startsWith('sent') && event !== 'sent viewer')
  t.strictSame(
    sent,
    [...answers.keys()].map(n => `sent ${n}`),
    'in order'
  )
})

t.test('too large a crowd is answered at once, because what waits takes memory', async t => {
  const { app, order } = await noting(t, 0.1)
  const answers = Array.from({ length: 1200 }, (_, n) => app.inject(`/asked/${n}`))
  while (!order.some(event => event.startsWith('sent'))) await turn()
  const sent = order.filter(event => event.startsWith('sent')).length
  t.ok(sent >= 200 && sent < 1200, `${sent} in the first turn`)
  await Promise.all(answers)
})
