import { Schema } from 'mongoose'

const { Mixed } = Schema.Types

/** The schemas for the peers that use Mongoose. */
export const contentSchema = new Schema(
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

export const historySchema = new Schema(
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
