import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forViewersAmongLogins } from '../../../../plugins/authentication.js'
import { answers } from '../../../../schemas/answers.js'
import { Ok } from '../../../../schemas/common.js'
import { SignedIn } from '../../../../schemas/identity.js'
import { IntegerId } from '../../../../schemas/path-ids.js'
import { ProfileSwitch } from '../../../../schemas/profile.js'
import { orThrow, profileNotFound } from '../../../../src/errors.js'
import { callerOf } from '../../../../src/http/addresses.js'
import { ok } from '../../../../src/http/reply.js'
import { integerId, optionalBody } from '../../../../src/http/requests.js'
import { profileSwitchOf } from '../../../../src/identity/profiles.js'

const schema = {
  summary: 'Sign in to a profile',
  description:
    'Begins a new session of the account. A profile with a PIN needs its `pin`. Switching from a profile with an age limit to one with a higher limit or none takes the `pin` of the latter or, if it has none, the `password` of the account.',
  tags: ['Profiles'],
  security: [{ bearer: [] }],
  params: Type.Object({ profileId: IntegerId('Id of the profile', 1) }),
  body: ProfileSwitch,
  response: answers(Ok(SignedIn), 401, 403, 404, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const switchProfile = profileSwitchOf(app.data, app.passwordChecks)

  app.post('', { schema, ...forViewersAmongLogins, preValidation: optionalBody }, async function signInToProfile(request) {
    const id = orThrow(integerId(request.params.profileId), profileNotFound)
    const { user, session } = await switchProfile(app.viewerOf(request), id, request.body, callerOf(request.ip))
    return ok(app.signedIn(user, session))
  })
}
export default route
