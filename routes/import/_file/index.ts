import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyBaseLogger } from 'fastify'
import { Ok } from '../../../schemas/common.js'
import { type ImportKind, importKinds } from '../../../schemas/import.js'
import { ImportCounts, ImportQuery } from '../../../schemas/import-upload.js'
import { ownIssuer } from '../../../src/config.js'
import { importRefused, importRunning, notFound, unauthenticated, unavailable } from '../../../src/errors.js'
import { ok } from '../../../src/http/reply.js'
import { importKey } from '../../../src/identity/import-key.js'
import { importLease } from '../../../src/import/turn.js'
import { importUpload } from '../../../src/import/upload/import-upload.js'
import type { ImportOutcome } from '../../../src/import/upload/start-import.js'
import { importGrace } from '../../../src/process/stop-times.js'

const schema = {
  // For operators, who find it in docs/catalogue.md. The document is for apps, which have no key.
  hide: true,
  params: Type.Object({ file: Type.String() }),
  querystring: ImportQuery,
  response: { 200: Ok(ImportCounts) }
}

const isKind = (file: string): file is ImportKind => importKinds.some(kind => kind === file)

const countsOf = ({ imported, refused, isUnavailable, failed }: ImportOutcome, log: FastifyBaseLogger) => {
  if (imported) return { added: imported.added, changed: imported.changed, unchanged: imported.unchanged, removed: imported.pruned ?? 0 }
  if (refused) throw importRefused(refused.errors, refused.rest)
  if (failed && !isUnavailable) throw new Error(failed)
  log.warn({ failed }, 'the import did not end, the next one completes it')
  throw unavailable()
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { data, settings, log } = app
  const { IMPORT_KEY = '', MONGO_URL, JWT_ISSUER } = settings
  const isKey = importKey(IMPORT_KEY)
  // As for the import command, which requires the setting for users of an identity provider.
  const issuer = JWT_ISSUER === ownIssuer ? undefined : JWT_ISSUER

  const closing = new AbortController()
  app.addHook('preClose', async () => {
    setTimeout(() => closing.abort(), importGrace).unref()
  })

  // The handler reads the body, which may be too large for memory.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))

  app.post(
    '',
    {
      schema,
      config: { admission: 'operator' },
      onRequest: ({ headers }, _reply, done) => done(isKey(headers.authorization) ? undefined : unauthenticated())
    },
    async function importRecords({ params: { file }, query: { prune }, raw }) {
      if (!isKind(file)) throw notFound()
      const order = { url: MONGO_URL, issuer, prune, signal: closing.signal }
      const outcome = await data.leases.withLease(importLease, () => importUpload(raw, file, order))
      if (!outcome) throw importRunning()
      const counts = countsOf(outcome, log)
      log.info({ file, ...counts }, 'imported')
      return ok(counts)
    }
  )
}
export default route
