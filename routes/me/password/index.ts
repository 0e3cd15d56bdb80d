import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { forAccountAmongLogins } from '../../../plugins/authentication.js'
import { answers } from '../../../schemas/answers.js'
import { Done } from '../../../schemas/common.js'
import { PasswordChange } from '../../../schemas/identity.js'
import { unauthenticated } from '../../../src/errors.js'
import { callerOf } from '../../../src/http/addresses.js'
import { done } from '../../../src/http/reply.js'

const schema = {
  summary: 'Change the password',
  description: 'Ends all other sessions of the user. A wrong current password gets a 401, and counts as a failed login.',
  tags: ['Account'],
  security: [{ bearer: [] }],
  body: PasswordChange,
  response: answers(Done, 401, 403, 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { passwordChecks } = app
  const { sessions, users } = app.data

  app.put('', { schema, ...forAccountAmongLogins }, async function changePassword(request) {
    const { account, sid } = app.viewerOf(request)
    const { password, new_password } = request.body
    const address = callerOf(request.ip)
    const user = await passwordChecks.confirmPassword(account, password, address)
    const hash = await passwordChecks.hash(user, new_password, address)
    // Before, so that a repeat after a 503 finds the old password still right. Again afterwards, because of logins in the meantime.
    await sessions.endBegun(account, sid)
    if (!(await users.changePassword(user, hash, sid as string))) throw unauthenticated()
    await sessions.endBegun(account, sid)
    return done(200, 'The password was changed')
  })
}
export default route
