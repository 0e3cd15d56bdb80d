import { type Static, Type } from '@sinclair/typebox'
import { Nullable, oldest } from './common.js'

const name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '\\S',
  'x-rule': 'a string of 1 to 100 characters, not only spaces',
  examples: ['Mia']
})
const max_age = Nullable(Type.Integer({ minimum: 0, maximum: oldest, description: 'Age limit. Null for none', examples: [6] }))
const pin = Nullable(
  Type.String({
    pattern: '^[0-9]{4,8}$',
    'x-rule': 'a string of 4 to 8 digits',
    description: '4 to 8 digits. Null for none',
    examples: ['4071']
  })
)

export const Profile = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    max_age,
    has_pin: Type.Boolean({ description: 'Whether signing in to the profile requires a PIN' }),
    first: Type.Boolean({ description: 'Whether the profile is the account itself' })
  },
  { $id: 'Profile' }
)
export type Profile = Static<typeof Profile>

export const ProfileAddition = Type.Object({ name, max_age: Type.Optional(max_age), pin: Type.Optional(pin) }, { $id: 'ProfileAddition' })
export type ProfileAddition = Static<typeof ProfileAddition>

export const ProfileChange = Type.Partial(ProfileAddition, { $id: 'ProfileChange' })
export type ProfileChange = Static<typeof ProfileChange>

export const ProfileSwitch = Type.Object(
  {
    pin: Type.Optional(Type.String({ maxLength: 100, description: 'The PIN of the profile', examples: ['4071'] })),
    password: Type.Optional(Type.String({ description: 'The password of the account' }))
  },
  { $id: 'ProfileSwitch' }
)
export type ProfileSwitch = Static<typeof ProfileSwitch>
