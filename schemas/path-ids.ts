import { Type } from '@sinclair/typebox'
import { published } from './published.js'

/** An integer id in a path. Accepts any string, because an invalid id returns 404, not 400. */
export const IntegerId = (description: string, example: number) =>
  published(Type.String({ description, examples: [example] }), Type.Integer({ minimum: 1 }))

export const SessionId = Type.String({ description: 'Id of the session', examples: ['0b9f1d8e-5f0c-4a57-9f6b-6d1f3f6f2a11'] })
export const HistoryId = Type.String({ description: 'Id of the history element', examples: ['697e6a1c0f8b6c1e2d3f4a5b'] })
