import { type Static, Type } from '@sinclair/typebox'

const password = Type.String({
  minLength: 1,
  description: 'Any length that fits into the body of 64 KiB',
  examples: ['correct horse battery staple']
})

export const DeviceName = Type.String({
  maxLength: 100,
  pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$',
  description: 'Name of the device, for the list of sessions. Must not contain control characters. An empty name counts as none',
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
    account_id: Type.Optional(Type.Integer({ description: 'Only in a profile that is not the first one: the id of its account' }))
  },
  { $id: 'User' }
)
export type User = Static<typeof User>

export const SignedIn = Type.Object(
  {
    access_token: Type.String({ description: 'Send it as `Authorization: Bearer …`' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds' }),
    refresh_token: Type.String({ description: 'Can be used once, at POST /login/refresh' }),
    user: User
  },
  { $id: 'SignedIn' }
)
export type SignedIn = Static<typeof SignedIn>

export const PasswordChange = Type.Object(
  {
    password: Type.String({ minLength: 1, description: 'The current password', examples: ['correct horse battery staple'] }),
    new_password: Type.String({ minLength: 8, maxLength: 1000, examples: ['staple battery horse correct'] })
  },
  { $id: 'PasswordChange' }
)
export type PasswordChange = Static<typeof PasswordChange>
