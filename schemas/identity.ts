import { type Static, Type } from '@sinclair/typebox'

export const Credentials = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: 320, examples: ['ada@example.com'] }),
    password: Type.String({ minLength: 1, description: 'As long as the body of 64 KiB holds', examples: ['correct horse battery staple'] })
  },
  { $id: 'Credentials' }
)
export type Credentials = Static<typeof Credentials>

export const RefreshToken = Type.Object(
  { refresh_token: Type.String({ minLength: 1, description: 'The one that the last login or refresh gave; anything else is a 401' }) },
  { $id: 'RefreshToken' }
)
export type RefreshToken = Static<typeof RefreshToken>

export const SignedIn = Type.Object(
  {
    access_token: Type.String({ description: 'For the header `Authorization: Bearer`' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Life of the access token in seconds' }),
    refresh_token: Type.String({ description: 'Serves once, at POST /login/refresh' }),
    user: Type.Object({ id: Type.Integer(), email: Type.String(), name: Type.String() })
  },
  { $id: 'SignedIn' }
)
export type SignedIn = Static<typeof SignedIn>
