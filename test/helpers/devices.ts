import type { UserDocument } from '../../src/identity/users.js'
import type { PlayingDocument } from '../../src/viewing/playing.js'
import { type App, addUser, beginSession } from './app.js'
import { databaseOf } from './database.js'

/** A device that is signed in to an account, if wanted as another of its profiles. */
export const deviceOf = async (app: App, account: UserDocument, name: string | null, profile = account) => {
  const session = await beginSession(app.data, account, name, { user_id: profile._id })
  const headers = { authorization: `Bearer ${app.signedIn(profile, session).access_token}` }
  const send = (method: 'POST' | 'DELETE', payload?: string | object, more: Record<string, string> = {}) =>
    app.inject({ method, url: '/playing', headers: { ...headers, ...more }, ...(payload !== undefined && { payload }) })
  return { ...session, headers, send, play: (content_id = 1) => send('POST', { content_id }), stop: () => send('DELETE') }
}
export type Device = Awaited<ReturnType<typeof deviceOf>>

/** A new account with devices of these names. */
export const householdOf = async <Names extends (string | null)[]>(app: App, ...names: Names) => {
  const user = await addUser(app)
  const devices = await Promise.all(names.map(name => deviceOf(app, user, name)))
  return { user, devices: devices as { [I in keyof Names]: Device } }
}

/** A new profile of an account. */
export const profileOf = async ({ data }: App, account: UserDocument, max_age: number | null = null) => {
  const id = await data.profiles.add(account._id, { name: 'Mia', max_age })
  if (id === undefined) throw new Error('The account already has the maximum number of profiles')
  return data.profiles.byId(account._id, id)
}

/** The stored players of an account. */
export const playersOf = async (app: App, { _id }: UserDocument) =>
  (await databaseOf(app).collection<PlayingDocument>('playing').findOne({ account_id: _id }))?.devices ?? []
