import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from '@sinclair/typebox'
import { forAccount, forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { Export } from '../../schemas/export.js'
import { PasswordChange, PasswordConfirmation, User } from '../../schemas/identity.js'
import { orThrow, resourceNotFound, unauthenticated } from '../../src/errors.js'
import { callerOf } from '../../src/http/addresses.js'
import { done, jsonType, ok } from '../../src/http/reply.js'
import { hasProvider } from '../../src/identity/secrets.js'
import { toUser } from '../../src/identity/users.js'
import { erase } from '../../src/privacy/erase.js'
import { exportsOf } from '../../src/privacy/export.js'

const ExportAnswer = Ok(Export)

const shared = { tags: ['Account'], security: [{ bearer: [] }] }

const getSchema = {
  ...shared,
  summary: 'Get the signed-in user',
  description:
    'The current profile. If it is not the first one of its account, `email` is empty, and `account_id` is added. Users of an identity provider may have an empty `email` and `name`.',
  response: answers(Ok(User), 401)
}
const deleteSchema = {
  ...shared,
  summary: 'Erase the user',
  description:
    'Erases the account, all of its profiles, and everything that is stored about them. When the response is sent, the erasure is recorded, and usually complete. Within 2 seconds, tokens of the account return 401. Requires the password of the account. A wrong one returns 401 and counts as a failed login.',
  body: PasswordConfirmation,
  response: answers(Done, 401, 403, 413)
}
const exportSchema = {
  ...shared,
  summary: 'Export what is stored about the user',
  description:
    'Returns a file to download. Its `users`, `history`, `watchlist`, `hidden`, `ratings` and `preferences` can be imported again. `played_at` in the history holds the times of plays; `seen`, `sessions` and `exported_at` are for information only. A user can run one export at a time (otherwise 429), and a process 16 (otherwise 503). If the connection is closed early, after 10 minutes or because the database fails, the file is incomplete JSON.',
  response: answers(ExportAnswer, 401, 403)
}
const passwordSchema = {
  ...shared,
  summary: 'Change the password',
  description:
    'Ends all other sessions of the user. They may have ended even if the change itself fails. A wrong current password returns 401 and counts as a failed login. Of two concurrent changes, one succeeds and the other returns 401.',
  body: PasswordChange,
  response: answers(Done, 401, 403, 413)
}

/** Admitted like logins, because the handlers check the password. */
const checksPassword = { admission: 'login' } as const

const route: FastifyPluginAsyncTypebox = async app => {
  const { data, passwordChecks } = app
  const { sessions, users } = data
  const exports = exportsOf(data)
  // With an identity provider, users erase their accounts and change their passwords there.
  const isOwnAccount = !hasProvider(app.settings)

  app.get('', { schema: getSchema, ...forViewers }, async function getMe(request) {
    return ok(toUser(orThrow(await users.byId(app.viewerOf(request).id), unauthenticated)))
  })

  if (isOwnAccount) {
    app.delete('', { schema: deleteSchema, ...forAccount, config: checksPassword }, async function eraseMe(request) {
      const { account } = app.viewerOf(request)
      await passwordChecks.confirmPassword(account, request.body.password, callerOf(request.ip))
      await erase(app, account)
      return done(200, 'The user was erased')
    })
  } else {
    // Without this route, DELETE would return 405, but an endpoint that is turned off returns 404.
    app.delete('', { schema: { hide: true }, config: { admission: 'public' } }, function refuseErasure() {
      throw resourceNotFound()
    })
  }

  app.get('/export', { schema: exportSchema, ...forAccount }, async function exportMe(request, reply) {
    const { account } = app.viewerOf(request)
    // For HEAD, Fastify would read the whole export and discard it.
    const answer = await (request.method === 'HEAD' ? exports.head(account) : exports.begin(account))
    reply.headers({ 'content-type': jsonType, 'content-disposition': `attachment; filename="viewer-${account}.json"` })
    // Fastify sends a stream unchanged.
    return answer as unknown as Static<typeof ExportAnswer>
  })

  if (!isOwnAccount) return
  app.put('/password', { schema: passwordSchema, ...forAccount, config: checksPassword }, async function changePassword(request) {
    const { account, sid } = app.viewerOf(request)
    const { password, new_password } = request.body
    const address = callerOf(request.ip)
    const user = await passwordChecks.confirmPassword(account, password, address)
    const hash = await passwordChecks.hash(user, new_password, address)
    // Ended before the change, so that a retry after a 503 still accepts the old password, and again after it, for logins in the meantime.
    await sessions.endBegun(account, sid)
    const isChanged = await users.changePassword(user, hash, sid as string)
    if (!isChanged) throw unauthenticated()
    await sessions.endBegun(account, sid)
    return done(200, 'The password was changed')
  })
}
export default route
