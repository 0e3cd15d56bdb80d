import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAccount, forViewers } from '../../plugins/authentication.js'
import { answers, createdAnswers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { SignedIn } from '../../schemas/identity.js'
import { IntegerId } from '../../schemas/path-ids.js'
import { Profile, ProfileAddition, ProfileChange, ProfileSwitch } from '../../schemas/profile.js'
import { firstProfile, orThrow, resourceNotFound, tooManyProfiles } from '../../src/errors.js'
import { callerOf } from '../../src/http/addresses.js'
import { done, ok } from '../../src/http/reply.js'
import { integerId, optionalBody } from '../../src/http/requests.js'
import { isFirst, profilesPerAccount, toProfile } from '../../src/identity/profile-documents.js'
import { profileAgeLimitsOf, profileSwitchOf } from '../../src/identity/profiles.js'
import { hasProvider } from '../../src/identity/secrets.js'
import { erase } from '../../src/privacy/erase.js'

const shared = { tags: ['Profiles'], security: [{ bearer: [] }] }
const params = Type.Object({ profileId: IntegerId('Id of the profile', 1) })

const listSchema = {
  ...shared,
  summary: 'List the profiles of the account',
  description: 'The first profile, which is the account itself, comes first.',
  response: answers(Ok(Type.Array(Profile), 'ProfileListAnswer'), 401)
}
const postSchema = {
  ...shared,
  summary: 'Add a profile',
  description: `An account can have ${profilesPerAccount} profiles; one more returns 400. A profile with \`max_age\` sees only items with a \`min_age\` up to that age. \`Location\` is the path of the profile.`,
  body: ProfileAddition,
  response: createdAnswers(Done, 401, 403, 413)
}
const putSchema = {
  ...shared,
  summary: 'Change a profile',
  description:
    'Fields that are not given keep their values. A new age limit applies to existing tokens within 2 seconds. A new limit or PIN ends no session. Returns 400 if no profile without an age limit would be left.',
  params,
  body: ProfileChange,
  response: answers(Done, 401, 403, 404, 413)
}
const deleteSchema = {
  ...shared,
  summary: 'Delete a profile',
  description:
    'Deletes the profile and everything that is stored about it. Returns 400 for the first profile, and for the last one without an age limit.',
  params,
  response: answers(Done, 401, 403, 404, 413)
}
const tokenSchema = {
  ...shared,
  summary: 'Sign in to a profile',
  description:
    'Starts a new session of the account, and returns what a login as the profile would. A profile with a PIN requires its `pin`. Switching from a profile with an age limit to one with a higher limit or none requires the `pin` of the latter or, if it has none, the `password` of the account. Returns 401 if these are wrong, or if the session of the request has ended.',
  params,
  body: ProfileSwitch,
  response: answers(Ok(SignedIn), 401, 403, 404, 413)
}

const idIn = ({ profileId }: { profileId: string }) => orThrow(integerId(profileId), resourceNotFound)

const route: FastifyPluginAsyncTypebox = async app => {
  const { settings } = app
  const { profiles } = app.data
  const limits = profileAgeLimitsOf(app.data)

  app.get('', { schema: listSchema, ...forViewers }, async function listProfiles(request) {
    const { account } = app.viewerOf(request)
    const list = await profiles.list(account)
    return ok(list.map(toProfile))
  })

  app.post('', { schema: postSchema, ...forAccount, preHandler: app.hashPin }, async function addProfile(request, reply) {
    const { account } = app.viewerOf(request)
    const { name, max_age = null } = request.body
    const pin = request.pinHash === undefined ? {} : { pin_hash: request.pinHash }
    const id = orThrow(await profiles.add(account, { name, max_age, ...pin }), tooManyProfiles)
    reply.code(201).header('location', `${settings.BASE_PATH}/profiles/${id}`)
    return done(201, 'The profile was added')
  })

  app.put('/:profileId', { schema: putSchema, ...forAccount, preHandler: app.hashPin }, async function changeProfile(request) {
    const { account } = app.viewerOf(request)
    const profile = await profiles.byId(account, idIn(request.params))
    const { pin, max_age, ...fields } = request.body
    // Null removes the PIN, undefined keeps it.
    const pin_hash = pin && request.pinHash
    if (typeof max_age === 'number') await limits.set(account, profile, max_age)
    // Removing a limit needs no check.
    const lifted = max_age === null ? { max_age } : {}
    await profiles.change(account, profile._id, { ...fields, ...lifted, pin_hash })
    await app.revocations.refresh()
    return done(200, 'The profile was changed')
  })

  app.delete('/:profileId', { schema: deleteSchema, ...forAccount }, async function deleteProfile(request) {
    const { account } = app.viewerOf(request)
    const profile = await profiles.byId(account, idIn(request.params))
    if (isFirst(profile)) throw firstProfile()
    await limits.whileRemoving(account, profile, () => erase(app, profile._id))
    return done(200, 'The profile was deleted')
  })

  // With an identity provider, the app names the profile in a header.
  if (hasProvider(settings)) return
  const switchProfile = profileSwitchOf(app.data, app.passwordChecks)
  // Admitted like a login, because it may check a password or PIN.
  const options = { schema: tokenSchema, ...forViewers, config: { admission: 'login' }, preValidation: optionalBody } as const
  app.post('/:profileId/token', options, async function signInToProfile(request) {
    const { user, session } = await switchProfile(app.viewerOf(request), idIn(request.params), request.body, callerOf(request.ip))
    return ok(app.signedIn(user, session))
  })
}
export default route
