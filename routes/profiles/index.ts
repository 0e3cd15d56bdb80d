import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAccountAmongLogins, forViewers } from '../../plugins/authentication.js'
import { answers, createdAnswers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { Profile, ProfileAddition } from '../../schemas/profile.js'
import { profilesPerAccount, toProfile } from '../../src/data/profiles.js'
import { orThrow, tooManyProfiles } from '../../src/errors.js'
import { callerOf } from '../../src/http/addresses.js'
import { done, ok } from '../../src/http/reply.js'

const tags = ['Profiles']
const security = [{ bearer: [] }]

const listSchema = {
  summary: 'List the profiles of the account',
  description: 'The first profile, which is the account itself, comes first.',
  tags,
  security,
  response: answers(Ok(Type.Array(Profile), 'ProfileListAnswer'), 401)
}
const postSchema = {
  summary: 'Add a profile',
  description: `An account has at most ${profilesPerAccount} profiles. With \`max_age\`, a profile sees only contents with a \`min_age\` up to it. \`Location\` is its path.`,
  tags,
  security,
  body: ProfileAddition,
  response: createdAnswers(Done, 401, 403, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { passwordChecks, settings } = app
  const { profiles } = app.data

  app.get('', { schema: listSchema, ...forViewers }, async function listProfiles(request) {
    const { account } = app.viewerOf(request)
    const list = await profiles.list(account)
    return ok(list.map(toProfile))
  })

  app.post('', { schema: postSchema, ...forAccountAmongLogins }, async function addProfile(request, reply) {
    const { account } = app.viewerOf(request)
    const { name, max_age = null, pin } = request.body
    const pinHash = pin ? { pin_hash: await passwordChecks.hashPin(account, pin, callerOf(request.ip)) } : {}
    const id = orThrow(await profiles.add(account, { name, max_age, ...pinHash }), tooManyProfiles)
    reply.code(201).header('location', `${settings.BASE_PATH}/profiles/${id}`)
    return done(201, 'The profile was added')
  })
}
export default route
