import { type Static, Type } from '@sinclair/typebox'
import { Content } from './content.js'
import { defaultPerPage } from './page.js'
import { Recommendation } from './recommendation.js'

export const SimilarQuery = Type.Object({
  perPage: Type.Integer({ minimum: 1, maximum: 50, default: defaultPerPage, description: 'Elements in the list' })
})

export const SimilarContent = Type.Composite([Content, Type.Pick(Recommendation, ['recent'])], { $id: 'SimilarContent' })
export type SimilarContent = Static<typeof SimilarContent>
