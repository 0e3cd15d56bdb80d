// GET /history as the documentation of Express and Mongoose teaches: models, populate, lean, res.json.
import express from 'express'
import mongoose from 'mongoose'

const { MONGO_URL, PORT } = process.env
await mongoose.connect(MONGO_URL)

// Lean documents have all fields of the database, whether or not a schema names them.
mongoose.model('Content', new mongoose.Schema({ _id: Number, name: String }, { collection: 'contents' }))
const historySchema = new mongoose.Schema({ user_id: Number, content_id: { type: Number, ref: 'Content' } }, { collection: 'history' })
const History = mongoose.model('History', historySchema)

const app = express()
app.use(express.json())
app.get('/history', async (req, res) => {
  const page = Number(req.query.page ?? 1)
  const per_page = Number(req.query.perPage ?? 20)
  const filter = { user_id: Number(req.headers.user) }
  const [collection, total_count] = await Promise.all([
    History.find(filter)
      .sort({ updated_at: -1, _id: -1 })
      .skip((page - 1) * per_page)
      .limit(per_page)
      .populate('content_id', '-words -digest -stamp -deleted_at -terms -position')
      .lean(),
    History.countDocuments(filter)
  ])
  const total_pages = Math.ceil(total_count / per_page)
  const next_page = page < total_pages && page + 1
  const prev_page = page > 1 && page - 1
  res.json({ success: true, data: { collection, meta: { page, per_page, next_page, prev_page, total_pages, total_count } } })
})
app.get('/', (_req, res) => res.send('ready'))
app.listen(PORT, '127.0.0.1')
