import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'

export const Session = Type.Object(
  {
    id: Type.String({ examples: ['0b9f1d8e-5f0c-4a57-9f6b-6d1f3f6f2a11'] }),
    device: Nullable(Type.String({ description: 'The name of the device, from the login' })),
    created_at: Timestamp,
    last_used_at: {
      ...Timestamp,
      description: 'When a refresh token of the session was last used, or else `created_at`. Other requests do not count as use'
    },
    current: Type.Boolean({ description: 'Whether it is the session of this request' })
  },
  { $id: 'Session' }
)
export type Session = Static<typeof Session>
