import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { DeviceName } from './identity.js'

/** A device waits this many seconds between two polls, and this many more after each poll that is too early. RFC 8628 says 5. */
export const pollStep = 5

export const DeviceRequest = Type.Object({ device: Type.Optional(DeviceName) }, { $id: 'DeviceRequest' })
export type DeviceRequest = Static<typeof DeviceRequest>

export const DeviceCodes = Type.Object(
  {
    device_code: Type.String({ description: 'Only for the device, which sends it to POST /login/device/token' }),
    user_code: Type.String({ description: 'Show it to the user', examples: ['BCDF-GHJK'] }),
    verification_uri: Type.String({ description: 'The page where the user enters the code' }),
    verification_uri_complete: Type.String({ description: 'The same page with the code, for a QR code' }),
    expires_in: Type.Integer({ description: 'Lifetime of the codes in seconds: 600' }),
    interval: Type.Integer({ description: `Seconds to wait between two calls of POST /login/device/token: ${pollStep}` })
  },
  { $id: 'DeviceCodes' }
)
export type DeviceCodes = Static<typeof DeviceCodes>

export const DeviceCode = Type.Object(
  { device_code: Type.String({ minLength: 1, description: 'From POST /login/device' }) },
  { $id: 'DeviceCode' }
)

export const UserCode = Type.String({
  description: 'The code that the device shows, in upper or lower case, with or without dashes and spaces',
  examples: ['BCDF-GHJK']
})

export const WaitingDevice = Type.Object(
  { device: Nullable(Type.String({ description: 'The name that the device gave itself. It may be untrue' })), created_at: Timestamp },
  { $id: 'WaitingDevice' }
)
export type WaitingDevice = Static<typeof WaitingDevice>

export const DeviceDecision = Type.Object(
  { approve: Type.Boolean({ description: 'Whether the device may sign in as this profile' }) },
  { $id: 'DeviceDecision' }
)
