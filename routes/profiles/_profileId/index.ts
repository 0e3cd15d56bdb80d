import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAccount } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done } from '../../../schemas/common.js'
import { IntegerId } from '../../../schemas/path-ids.js'
import { ProfileChange } from '../../../schemas/profile.js'
import { isFirst } from '../../../src/data/profiles.js'
import { firstProfile, orThrow, profileNotFound } from '../../../src/errors.js'
import { done } from '../../../src/http/reply.js'
import { integerId } from '../../../src/http/requests.js'
import { profileAgeLimitsOf } from '../../../src/identity/profiles.js'
import { erase } from '../../../src/privacy/erase.js'

const shared = {
  tags: ['Profiles'],
  security: [{ bearer: [] }],
  params: Type.Object({ profileId: IntegerId('Id of the profile', 1) }),
  response: answers(Done, 401, 403, 404, 413)
}
const putSchema = {
  ...shared,
  summary: 'Change a profile',
  description:
    'Fields that are not given stay as they are. A new age limit applies to existing tokens within 2 seconds. One profile must stay without an age limit.',
  body: ProfileChange
}
const deleteSchema = {
  ...shared,
  summary: 'Delete a profile',
  description:
    'Deletes the profile with everything that is stored about it. The first profile cannot be deleted, nor the last one without an age limit.'
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { profiles, sessions } = app.data
  const limits = profileAgeLimitsOf(app.data)

  app.put('', { schema: putSchema, ...forAccount, preHandler: app.hashPin }, async function changeProfile(request) {
    const { account } = app.viewerOf(request)
    const profile = await profiles.byId(account, orThrow(integerId(request.params.profileId), profileNotFound))
    const { pin, max_age, ...fields } = request.body
    // Null removes the PIN, undefined keeps it.
    const pin_hash = pin && request.pinHash
    if (typeof max_age === 'number') await limits.set(account, profile, max_age)
    // Lifting a limit needs no check.
    const lifted = max_age === null ? { max_age } : {}
    await profiles.change(account, profile._id, { ...fields, ...lifted, pin_hash })
    await app.revocations.refresh()
    return done(200, 'The profile was changed')
  })

  app.delete('', { schema: deleteSchema, ...forAccount }, async function deleteProfile(request) {
    const { account } = app.viewerOf(request)
    const profile = await profiles.byId(account, orThrow(integerId(request.params.profileId), profileNotFound))
    if (isFirst(profile)) throw firstProfile()
    await limits.whileRemoving(account, profile, () => erase(app, profile._id))
    await sessions.endProfile(account, profile._id)
    return done(200, 'The profile was deleted')
  })
}
export default route
