import type { IncomingMessage } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import { Ok } from '../../../schemas/common.js'
import { ImportCounts, type ImportKind, ImportQuery, importKinds } from '../../../schemas/import.js'
import { ownIssuer } from '../../../src/config.js'
import { importRunning, resourceNotFound, unauthenticated } from '../../../src/errors.js'
import { callerOf } from '../../../src/http/addresses.js'
import { ok } from '../../../src/http/reply.js'
import { importKey } from '../../../src/identity/secrets.js'
import { leaseOf } from '../../../src/import/import-lease.js'
import { countsOrThrow, importUpload, removeLeftovers } from '../../../src/import/upload.js'
import { importGrace } from '../../../src/process/serve.js'
import { minutes } from '../../../src/time.js'

const schema = {
  // Left out of the OpenAPI document, which is for apps. docs/catalogue.md describes it.
  hide: true,
  params: Type.Object({ file: Type.String() }),
  querystring: ImportQuery,
  response: { 200: Ok(ImportCounts) }
}

const isKind = (file: string): file is ImportKind => importKinds.some(kind => kind === file)

/** Every series starts at 0, because Prometheus sees no increase in one that first appears with the value 1. */
const statuses = [200, 400, 401, 408, 409, 429, 500, 503]

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

/** As recorded in the audit. With any other outcome, some lines of the file may have been written. */
const outcomes: Record<string, 'done' | 'refused' | undefined> = { imported: 'done', refused: 'refused' }

/** How many addresses are counted individually, per minute and per write, so that a flood takes little memory and few documents. */
const mostAddresses = 1000
const others = 'others'

/** Counts wrong keys by minute and address, and writes the counts once a second. */
const wrongKeyCounter = (app: FastifyInstance) => {
  let counts = new Map<string, number>()
  let current = { minute: '', addresses: new Set<string>() }
  const add = (minute: string, address: string, count: number) => {
    const own = `${minute} ${address}`
    const key = counts.has(own) || counts.size < mostAddresses ? own : `${minute} ${others}`
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  const writeCounted = async () => {
    if (counts.size === 0) return
    const written = counts
    counts = new Map()
    try {
      await app.data.audit.addWrongKeys(written)
    } catch (error) {
      const newer = counts
      counts = written
      for (const [key, count] of newer) add(...(key.split(' ') as [string, string]), count)
      throw error
    }
  }
  let writing = Promise.resolve()
  /** Waits for a write in progress, so that shutdown waits for both. */
  const write = () => {
    writing = writing.catch(() => undefined).then(writeCounted)
    return writing
  }
  app.follow('wrong keys could not be recorded, trying again every second', write)
  app.addHook('onClose', () => write().catch(() => undefined))

  return (address: string) => {
    const minute = new Date(Math.floor(Date.now() / minutes(1)) * minutes(1)).toISOString()
    if (current.minute !== minute) current = { minute, addresses: new Set() }
    const { addresses } = current
    if (addresses.size < mostAddresses) addresses.add(address)
    add(minute, addresses.has(address) ? address : others, 1)
  }
}

const route: FastifyPluginAsyncTypebox = async app => {
  const { data, settings, log } = app
  const { IMPORT_KEY, MONGO_URL, JWT_ISSUER, COMPLETED_AT: completedAt } = settings
  if (IMPORT_KEY === undefined) return
  const isKey = importKey(IMPORT_KEY)
  // By default, the service issues its own tokens, and an import contains no users of an identity provider.
  const issuer = JWT_ISSUER === ownIssuer ? undefined : JWT_ISSUER

  await removeLeftovers()
  const closing = new AbortController()
  app.addHook('preClose', async () => {
    setTimeout(() => closing.abort(), importGrace).unref()
  })
  const options = { url: MONGO_URL, issuer, completedAt, signal: closing.signal, isStopping: () => app.isDraining }

  const countWrongKey = wrongKeyCounter(app)
  const countImport = importMetrics(app.metrics)
  type Import = { Params: Static<typeof schema.params>; Querystring: Static<typeof ImportQuery> }
  app.addHook<Import>('onResponse', ({ params: { file }, query: { check } }, { statusCode, elapsedTime }, done) => {
    if (isKind(file) && !check) countImport(file, statusCode, elapsedTime)
    done()
  })

  /** One at a time, because each check runs in a process of its own. */
  let isChecking = false
  const checkInTurn = async (upload: IncomingMessage, file: ImportKind, query: Static<typeof ImportQuery>) => {
    if (isChecking) return undefined
    isChecking = true
    try {
      return await importUpload(upload, file, { ...options, ...query })
    } finally {
      isChecking = false
    }
  }

  // The handler streams the body, which may be too large for memory.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))

  app.post(
    '',
    {
      schema,
      config: { admission: 'operator' },
      onRequest: ({ headers, ip }, _reply, done) => {
        if (isKey(headers.authorization)) return done()
        countWrongKey(callerOf(ip))
        return done(unauthenticated())
      }
    },
    async function importFile({ params: { file }, query, raw, ip }) {
      if (!isKind(file)) throw resourceNotFound()
      const act = { action: `import ${file}`, subject: file }
      const importInTurn = () =>
        data.audit.during(callerOf(ip), [act], async end => {
          const name = leaseOf(file)
          const outcome = await data.leases.withLease(name, ({ holder, leave }) =>
            importUpload(raw, file, { ...options, ...query, lease: { name, holder }, leave })
          )
          end.outcome = outcomes[outcome?.status ?? 'refused'] ?? 'failed'
          return outcome
        })
      const outcome = await (query.check ? checkInTurn(raw, file, query) : importInTurn())
      // Another import holds the lease, or another check is running.
      if (!outcome) throw importRunning()
      const counts = countsOrThrow(outcome, cause => log.warn({ file, cause }, 'the import did not finish: send the file again'))
      log.info({ file, ...counts, warnings: counts.warnings.length }, query.check ? 'checked' : 'imported')
      return ok(counts)
    }
  )
}
export default route
