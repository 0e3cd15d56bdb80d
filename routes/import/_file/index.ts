import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import { Counter, Gauge, type Registry } from 'prom-client'
import { Ok } from '../../../schemas/common.js'
import { ImportCounts, type ImportKind, ImportQuery, importKinds } from '../../../schemas/import.js'
import { ownIssuer } from '../../../src/config.js'
import { importRunning, resourceNotFound, unauthenticated } from '../../../src/errors.js'
import { ok } from '../../../src/http/reply.js'
import { importKey } from '../../../src/identity/secrets.js'
import { importLease } from '../../../src/import/import-lease.js'
import { countsOrThrow, importUpload, removeLeftovers } from '../../../src/import/upload.js'
import { importGrace } from '../../../src/process/serve.js'

const schema = {
  // Hidden from the document, which is for apps. docs/catalogue.md describes it.
  hide: true,
  params: Type.Object({ file: Type.String() }),
  querystring: ImportQuery,
  response: { 200: Ok(ImportCounts) }
}

const isKind = (file: string): file is ImportKind => importKinds.some(kind => kind === file)

/** The series of each begins at 0, because Prometheus sees no increase in a series that appears with the value 1. */
const statuses = [200, 400, 401, 409, 500, 503]

const importMetrics = (registry: Registry) => {
  const imports = new Counter({
    name: 'imports_total',
    help: 'Imports over HTTP, by file and status of the response',
    labelNames: ['file', 'status'],
    registers: [registry]
  })
  const duration = new Gauge({
    name: 'import_duration_seconds',
    help: 'Duration of the last successful import over HTTP, including its upload, by file',
    labelNames: ['file'],
    registers: [registry]
  })
  for (const file of importKinds) for (const status of statuses) imports.inc({ file, status }, 0)

  /** Call it after the response to an import. */
  return (file: ImportKind, status: number, milliseconds: number) => {
    imports.inc({ file, status })
    if (status === 200) duration.set({ file }, milliseconds / 1000)
  }
}

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
      if (!isKind(file)) throw resourceNotFound()
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
