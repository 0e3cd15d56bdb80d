import fastify from 'fastify'
import type { Sort } from 'mongodb'
import { connectionTo } from '../../../src/database/connection.js'
import { dataOf } from '../../../src/database/data.js'

/**
 * The least that Fastify must do for the same responses: the same database operations (find and count for a list), or ready bytes, which
 * are fetched from the service at startup. No token check, validation, limits, log or headers.
 */
const { MONGO_URL = '', PORT, READY_FROM = '', READY_PATHS = '', READY_AUTHORIZATION = '' } = process.env

const { db } = connectionTo(MONGO_URL)
const settings = { LOGIN_LIMIT: 0, ACCESS_TOKEN_TTL: 0, REFRESH_TOKEN_TTL: 0, REFRESH_GRACE: 0, COMPLETED_AT: 90, AUDIT_DAYS: 1 }
const { history, reports } = dataOf(db, settings)
const app = fastify()

const askService = async (path: string) => {
  const response = await fetch(READY_FROM + path, { headers: { authorization: READY_AUTHORIZATION } })
  if (!response.ok) throw new Error(`The service responded to ${path} with ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}
const json = 'application/json; charset=utf-8'

for (const path of READY_PATHS.split(' ')) {
  const bytes = await askService(path)
  const [url = ''] = path.split('?')
  app.get(url, async (_request, reply) => reply.type(json).send(bytes))
}

const historyPage = await askService('/history')
const [first] = JSON.parse(historyPage.toString()).data.collection
const one = await askService(`/history/${first._id}`)
const watchlistPage = await askService('/watchlist')
const cards = await askService('/continue-watching')
const shown: number[] = JSON.parse(cards.toString()).data.collection.map(({ content }: { content: { id: number } }) => content.id)
const recommended = await askService('/recommendations')
const text = 'The history element was updated'
const updated = Buffer.from(JSON.stringify({ success: true, code: 200, 'message ': text, message: text }))

interface Asked {
  Params: { id: string }
  Body: { content_id: number; time: number; percentage: number }
}
const userOf = ({ headers }: { headers: Record<string, unknown> }) => Number(headers.user)

const list = (name: string, order: Sort, page: Buffer) => {
  const elements = db.collection(name)
  app.get(`/${name}`, async (request, reply) => {
    const user_id = userOf(request)
    await Promise.all([elements.find({ user_id }).sort(order).limit(20).toArray(), db.command({ count: name, query: { user_id } })])
    return reply.type(json).send(page)
  })
}

list('history', { updated_at: -1, _id: -1 }, historyPage)
list('watchlist', { created_at: -1, _id: -1 }, watchlistPage)
app.get<Asked>('/history/:id', async (request, reply) => {
  await history.byId(userOf(request), request.params.id)
  return reply.type(json).send(one)
})
app.put<Asked>('/history/:id', async (request, reply) => {
  await reports.update(userOf(request), request.params.id, request.body)
  return reply.type(json).send(updated)
})
app.post<Asked>('/history', async (request, reply) => {
  const { content_id, ...progress } = request.body
  const id = await reports.put(userOf(request), { content_id, progress })
  return reply.code(201).header('location', `/history/${id}`).type(json).send(updated)
})
app.get('/continue-watching', async (request, reply) => {
  const user_id = userOf(request)
  await history.latestHiddenAndDismissed(user_id)
  await history.resumable(user_id, shown)
  return reply.type(json).send(cards)
})
app.get('/recommendations', async (request, reply) => {
  ;(await history.wholeAndOpinions(userOf(request))).read()
  return reply.type(json).send(recommended)
})
app.get('/', async () => 'ready')

await app.listen({ host: '127.0.0.1', port: Number(PORT) })
