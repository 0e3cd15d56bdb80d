import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import { Ok } from '../../../schemas/common.js'
import { ImportCounts, type ImportKind, ImportQuery, importKinds } from '../../../schemas/import.js'
import { ownIssuer } from '../../../src/config.js'
import { importFileNotFound, importRunning, unauthenticated } from '../../../src/errors.js'
import { ok } from '../../../src/http/reply.js'
import { importKey } from '../../../src/identity/secrets.js'
import { importLease } from '../../../src/import/import-lease.js'
import { countsOrThrow, importUpload, removeLeftovers } from '../../../src/import/upload.js'
import { importMetrics } from '../../../src/metrics/imports.js'
import { importGrace } from '../../../src/process/serve.js'

const schema = {
  // Hidden from the document, which is for apps. docs/catalogue.md describes it.
  hide: true,
  params: Type.Object({ file: Type.String() }),
  querystring: ImportQuery,
  response: { 200: Ok(ImportCounts) }
}

const isKind = (file: string): file is ImportKind => importKinds.some(kind => kind === file)

const route: FastifyPluginAsyncTypebox = async app => {
  const { data, settings, log } = app
  const { IMPORT_KEY, MONGO_URL, JWT_ISSUER, COMPLETED_AT: completedAt } = settings
  if (IMPORT_KEY === undefined) return
  const isKey = importKey(IMPORT_KEY)
  // The default is the service itself, so there is no identity provider whose users an import could contain.
  const issuer = JWT_ISSUER === ownIssuer ? undefined : JWT_ISSUER

  await removeLeftovers()
  const closing = new AbortController()
  app.addHook('preClose', async () => {
    setTimeout(() => closing.abort(), importGrace).unref()
  })
  const options = { url: MONGO_URL, issuer, completedAt, signal: closing.signal, isStopping: () => app.isDraining }

  const countImport = importMetrics(app.metrics)
  app.addHook<{ Params: Static<typeof schema.params> }>('onResponse', ({ params: { file } }, { statusCode, elapsedTime }, done) => {
    if (isKind(file)) countImport(file, statusCode, elapsedTime)
    done()
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
    async function importFile({ params: { file }, query: { prune }, raw }) {
      if (!isKind(file)) throw importFileNotFound()
      const outcome = await data.leases.withLease(importLease, ({ holder }) => importUpload(raw, file, { ...options, prune, holder }))
      // Another import holds the lease.
      if (!outcome) throw importRunning()
      const counts = countsOrThrow(outcome, cause => log.warn({ file, cause }, 'the import did not finish: send the file again'))
      log.info({ file, ...counts }, 'imported')
      return ok(counts)
    }
  )
}
export default route
