import { type Static, Type } from '@sinclair/typebox'

const password = Type.String({
  minLength: 1,
  description: 'Any length that fits into the body of 64 KiB',
  examples: ['correct horse battery staple']
})

export const Credentials = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: 320, examples: ['ada@example.com'] }), password },
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

export const SignedIn = Type.Object(
  {
    access_token: Type.String({ description: 'Send it as `Authorization: Bearer …`' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds' }),
    refresh_token: Type.String({ description: 'Can be used once, at POST /login/refresh' }),
    user: Type.Object({ id: Type.Integer(), email: Type.String(), name: Type.String() }, { $id: 'User' })
  },
  { $id: 'SignedIn' }
)
export type SignedIn = Static<typeof SignedIn>
