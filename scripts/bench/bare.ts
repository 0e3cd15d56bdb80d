import fastify from 'fastify'
import { connectionTo } from '../../src/data/connection.js'
import { type HistoryDocument, historyOf } from '../../src/data/history.js'

/**
 * The least that Fastify can do for the same answers: the same operations on the database, and then bytes that are
 * ready (the service's own, asked for once at the start). No token check, no validation, no limits, no log, no headers.
 */
const { MONGO_URL = '', PORT, READY_FROM = '', READY_PATHS = '', READY_AUTHORIZATION = '' } = process.env

const { db } = connectionTo(MONGO_URL)
const elements = db.collection<HistoryDocument>('history')
const history = historyOf(db, 90)
const app = fastify()

const askService = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(READY_FROM + path, { headers: { authorization: READY_AUTHORIZATION }, ...init })
  if (!response.ok) throw new Error(`The service answered ${path} with ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}
const json = 'application/json; charset=utf-8'

for (const path of READY_PATHS.split(' ')) {
  const bytes = await askService(path)
  const [url = ''] = path.split('?')
  app.get(url, async (_request, reply) => reply.type(json).send(bytes))
}

const page = await askService('/history')
const [first] = JSON.parse(page.toString()).data.collection
const one = await askService(`/history/${first._id}`)
const done = Buffer.from(
  JSON.stringify({ success: true, code: 200, 'message ': 'The history element was updated', message: 'The history element was updated' })
)

interface Asked {
  Params: { id: string }
  Body: { content_id: number; time: number; percentage: number }
}
const userOf = ({ headers }: { headers: Record<string, unknown> }) => Number(headers.user)

app.get('/history', async (request, reply) => {
  const user_id = userOf(request)
  await Promise.all([
    elements.find({ user_id }).sort({ updated_at: -1, _id: -1 }).limit(20).toArray(),
    db.command({ count: 'history', query: { user_id } })
  ])
  return reply.type(json).send(page)
})
app.get<Asked>('/history/:id', async (request, reply) => {
  await history.byId(userOf(request), request.params.id)
  return reply.type(json).send(one)
})
app.put<Asked>('/history/:id', async (request, reply) => {
  await history.update(userOf(request), request.params.id, request.body)
  return reply.type(json).send(done)
})
app.post<Asked>('/history', async (request, reply) => {
  const id = await history.put(userOf(request), request.body.content_id, request.body)
  return reply.code(201).header('location', `/history/${id}`).type(json).send(done)
})
app.get('/', async () => 'ready')

await app.listen({ host: '127.0.0.1', port: Number(PORT) })
