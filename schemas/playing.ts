import { type Static, Type } from '@sinclair/typebox'
import { ContentId } from './history.js'
import { DeviceName } from './identity.js'

const description = 'The name of the device. Only used with an identity provider; otherwise the name from the login is used'

export const Playing = Type.Object(
  { content_id: ContentId, device: Type.Optional(Type.String({ ...DeviceName, description })) },
  { $id: 'Playing' }
)
export type Playing = Static<typeof Playing>

export const StoppedQuery = Type.Object({
  device: Type.Optional(
    Type.String({
      ...DeviceName,
      minLength: 1,
      'x-rule': 'a string of 1 to 100 characters, without control characters',
      description: 'As in POST /playing'
    })
  )
})
