import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { forAccount, forViewers } from '../../plugins/authentication.js'
import { answers, createdAnswers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { Profile, ProfileAddition } from '../../schemas/profile.js'
import { profilesPerAccount, toProfile } from '../../src/data/profiles.js'
import { orThrow, tooManyProfiles } from '../../src/errors.js'
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
  const { settings } = app
  const { profiles } = app.data

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
}
export default route
