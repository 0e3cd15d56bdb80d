// GET /history as the documentation of Express and Mongoose teaches: models, populate, res.json.
import express from 'express'
import mongoose from 'mongoose'
import { pageOf } from './page.js'
import { contentSchema, historySchema } from './schemas.js'

const { MONGO_URL, PORT } = process.env
await mongoose.connect(MONGO_URL)

mongoose.model('Content', contentSchema)
const History = mongoose.model('History', historySchema)

const list = lean => async (req, res) => {
  const page = Number(req.query.page ?? 1)
  const perPage = Number(req.query.perPage ?? 20)
  const filter = { user_id: Number(req.headers.user) }
  const find = History.find(filter)
    .sort({ updated_at: -1, _id: -1 })
    .skip((page - 1) * perPage)
    .limit(perPage)
    .populate('content_id', '-words -digest -stamp -deleted_at -terms -position')
  const [elements, total] = await Promise.all([lean ? find.lean() : find, History.countDocuments(filter)])
  res.json(pageOf(elements, total, page, perPage))
}

const app = express()
app.use(express.json())
app.get('/history', list(true))
app.get('/documents/history', list(false))
app.get('/', (_req, res) => res.send('ready'))
app.listen(PORT, '127.0.0.1')
