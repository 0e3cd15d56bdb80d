import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { build } from '../helpers/app.js'
import { viewerOf } from '../helpers/viewer.js'

/** An app that notes in which order answers are sent, each of which takes `cost` milliseconds. `n` is a number or `viewer`. */
const noting = async (test: Test, cost = 0) => {
  const order: string[] = []
  const app = await build(test, {
    extend: app =>
      void app.get(
        '/asked/:n',
        {
          config: { admission: 'public' },
          schema: { params: { type: 'object', properties: { n: { type: 'string', pattern: '^(viewer|[0-9]+)$' } } } },
          preValidation: async ({ params }, reply) => {
            const { n } = params as { n: string }
            reply.raw.once('finish', () => {
              const end = performance.now() + cost
              while (performance.now() < end);
              order.push(`sent ${n}`)
            })
          }
        },
        ({ params }) => params
      )
  })
  return { app, order }
}

const sentIn = (order: string[]) => order.filter(event => event.startsWith('sent') && event !== 'sent viewer')

t.test('a viewer who asks while a crowd gets its answers does not wait for all of them', async t => {
  const { app, order } = await noting(t, 1)
  const viewer = await viewerOf(app)
  const crowd = 100
  const answers = Array.from({ length: crowd }, (_, n) => app.inject(`/asked/${n}`))
  while (sentIn(order).length === 0) await turn()
  await viewer.get('/asked/viewer')
  t.ok(sentIn(order).length < crowd / 2, `${sentIn(order).length} before the viewer`)
  await Promise.all(answers)
  t.strictSame(
    sentIn(order),
    [...answers.keys()].map(n => `sent ${n}`),
    'in order'
  )
})

t.test('nor for the refusals of a crowd', async t => {
  const { app, order } = await noting(t, 1)
  const viewer = await viewerOf(app)
  const crowd = 100
  const answers = Array.from({ length: crowd }, () => app.inject('/asked/nobody'))
  while (sentIn(order).length === 0) await turn()
  await viewer.get('/asked/0')
  t.ok(sentIn(order).length < crowd / 2)
  for (const { statusCode } of await Promise.all(answers)) t.equal(statusCode, 400)
})

t.test('too large a crowd is answered at once, because what waits takes memory', async t => {
  const { app, order } = await noting(t, 0.1)
  const answers = Array.from({ length: 1200 }, (_, n) => app.inject(`/asked/${n}`))
  while (order.length === 0) await turn()
  const sent = order.length
  t.ok(sent >= 200 && sent < 1200, `${sent} in the first turn`)
  await Promise.all(answers)
})
