import { type Static, Type } from '@sinclair/typebox'

const password = Type.String({
  minLength: 1,
  description: 'Of any length up to the maximum body size of 64 KiB',
  examples: ['correct horse battery staple']
})

export const DeviceName = Type.String({
  maxLength: 100,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  'x-rule': 'a string of at most 100 characters, without control characters',
  description:
    'Name of the device in the list of sessions. Up to 100 characters (code points), without control characters. An empty name counts as none',
  examples: ['Living room TV']
})

export const Credentials = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 320, examples: ['ada@example.com'] }),
    password,
    device: Type.Optional(DeviceName)
  },
  { $id: 'Credentials' }
)
export type Credentials = Static<typeof Credentials>

export const PasswordConfirmation = Type.Object({ password }, { $id: 'PasswordConfirmation' })
export type PasswordConfirmation = Static<typeof PasswordConfirmation>

export const RefreshToken = Type.Object(
  { refresh_token: Type.String({ minLength: 1, description: 'From the last login or refresh' }) },
  { $id: 'RefreshToken' }
)
export type RefreshToken = Static<typeof RefreshToken>

export const User = Type.Object(
  {
    id: Type.Integer(),
    email: Type.String(),
    name: Type.String(),
    account_id: Type.Optional(Type.Integer({ description: 'The id of the account. Only for profiles other than the first' }))
  },
  { $id: 'User' }
)
export type User = Static<typeof User>

export const SignedIn = Type.Object(
  {
    access_token: Type.String({ description: 'Send it as `Authorization: Bearer …`' }),
    token_type: Type.Literal('Bearer', { description: 'The scheme of the `Authorization` header' }),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds' }),
    refresh_token: Type.String({ description: 'Can be used once, with POST /login/refresh' }),
    user: User
  },
  { $id: 'SignedIn' }
)
export type SignedIn = Static<typeof SignedIn>

export const PasswordChange = Type.Object(
  {
    password: Type.String({ minLength: 1, description: 'The current password', examples: ['correct horse battery staple'] }),
    new_password: Type.String({
      minLength: 8,
      maxLength: 1000,
      description: 'The new password',
      examples: ['staple battery horse correct']
    })
  },
  { $id: 'PasswordChange' }
)
export type PasswordChange = Static<typeof PasswordChange>
