// GET /history as the documentation of Express and Mongoose teaches it: models, populate, res.json.
import express from 'express'
import mongoose, { Schema } from 'mongoose'

const { MONGO_URL, PORT } = process.env
await mongoose.connect(MONGO_URL)

const Content = mongoose.model(
  'Content',
  new Schema(
    {
      _id: Number,
      parent_id: Number,
      type: String,
      handler: String,
      handler_type: String,
      handler_id: String,
      name: String,
      title: Schema.Types.Mixed,
      description: Schema.Types.Mixed,
      weight: Number,
      thumbnail: String,
      thumbnail_handler: String,
      keywords: String,
      pricing: Schema.Types.Mixed,
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
      plans: Schema.Types.Mixed,
      link: String
    },
    { collection: 'contents' }
  )
)
const History = mongoose.model(
  'History',
  new Schema(
    {
      user_id: Number,
      content_id: { type: Number, ref: Content },
      time: Number,
      percentage: Number,
      created_at: Date,
      updated_at: Date
    },
    { collection: 'history' }
  )
)

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
  const pages = Math.ceil(total / perPage)
  res.json({
    success: true,
    data: {
      collection: elements,
      meta: {
        page,
        per_page: perPage,
        next_page: page < pages && page + 1,
        prev_page: page > 1 && page - 1,
        total_pages: pages,
        total_count: total
      }
    }
  })
}

const app = express()
app.use(express.json())
app.get('/history', list(true))
app.get('/documents/history', list(false))
app.get('/', (_req, res) => res.send('ready'))
app.listen(PORT, '127.0.0.1')
