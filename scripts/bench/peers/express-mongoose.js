// GET /history as the documentation of Express and Mongoose teaches: models, populate, lean, res.json.
import express from 'express'
import mongoose from 'mongoose'

const { MONGO_URL, PORT } = process.env
const { Mixed } = mongoose.Schema.Types
await mongoose.connect(MONGO_URL)

const contentSchema = new mongoose.Schema(
  {
    _id: Number,
    parent_id: Number,
    type: String,
    handler: String,
    handler_type: String,
    handler_id: String,
    name: String,
    title: Mixed,
    description: Mixed,
    weight: Number,
    thumbnail: String,
    thumbnail_handler: String,
    keywords: String,
    pricing: Mixed,
    payments_asset_id: String,
    purchaseable: Number,
    start_date: Date,
    end_date: Date,
    countries_include: [String],
    countries_exclude: [String],
    created_at: Date,
    updated_at: Date,
    currency: String,
    price: Number,
    price_formatted: String,
    plans: Mixed,
    link: String
  },
  { collection: 'contents' }
)
const historySchema = new mongoose.Schema(
  {
    user_id: Number,
    content_id: { type: Number, ref: 'Content' },
    time: Number,
    percentage: Number,
    created_at: Date,
    updated_at: Date
  },
  { collection: 'history' }
)
mongoose.model('Content', contentSchema)
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
