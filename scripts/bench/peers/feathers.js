// GET /history as the documentation of Feathers teaches: services of its MongoDB adapter, hooks, its own pagination.
import { feathers } from '@feathersjs/feathers'
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa'
import { MongoDBService } from '@feathersjs/mongodb'
import { MongoClient } from 'mongodb'

const { MONGO_URL, PORT } = process.env
const client = await MongoClient.connect(MONGO_URL)
const collection = async name => client.db().collection(name)

const ofTheUser = context => {
  const { headers, query } = context.params
  context.params.query = { $sort: { updated_at: -1, _id: -1 }, ...query, user_id: Number(headers.user) }
}

const withoutInternals = { words: 0, digest: 0, stamp: 0, deleted_at: 0, terms: 0, position: 0 }

/** One query for all contents, as Mongoose does. A resolver per element and a $lookup were several times slower. */
const populated = async context => {
  const elements = context.result.data
  const contents = await context.app.service('contents').find({
    query: { _id: { $in: elements.map(({ content_id }) => content_id) } },
    mongodb: { projection: withoutInternals },
    paginate: false
  })
  const byId = new Map(contents.map(content => [content._id, content]))
  context.result.data = elements.map(element => ({ ...element, content_id: byId.get(element.content_id) ?? null }))
}

const app = koa(feathers())
app.use(errorHandler())
app.use(bodyParser())
app.configure(rest())
app.use('/', { find: async () => 'ready' })
app.use('contents', new MongoDBService({ Model: collection('contents'), disableObjectify: true }))
app.use('history', new MongoDBService({ Model: collection('history'), paginate: { default: 20, max: 100 } }))
app.service('history').hooks({ before: { find: [ofTheUser] }, after: { find: [populated] } })
await app.listen(PORT, '127.0.0.1')
