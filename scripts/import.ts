import { basename } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { CommandSettings, readSettings, Settings } from '../src/config.js'
import { connectionTo } from '../src/database/connection.js'
import { isUnavailable } from '../src/database/faults.js'
import { type Lease, LeaseLost } from '../src/database/leases.js'
import { withImportLease } from '../src/import/import-lease.js'
import { ImportError, type ImportedKind, type ImportResult, importFiles, lineOf } from '../src/import/index.js'
import { filesOf, type Source } from '../src/import/sources.js'
import { auditOf } from '../src/privacy/audit.js'
import { invocationOf, messageOf, operator, readersOf, stopOnSignal } from './command-line.js'
import { progressTo } from './progress.js'

const usage = `Usage: ${invocationOf('import')} PATH... [--prune] [--check]
  PATH     a file, or a folder of files: contents.ndjson, terms.json, ...
  --prune  treats each catalogue file as the complete list of its kind: marks missing contents as deleted, removes missing terms, people, rails, programmes and texts
  --check  writes nothing, but finds the same errors, and counts what an import would change`

const ImportSettings = Type.Object({
  ...CommandSettings.properties,
  ...Type.Pick(Settings, ['COMPLETED_AT']).properties,
  JWT_ISSUER: Type.Optional(Type.String({ pattern: '.', description: '`iss` of users with a `sub`' }))
})
type ImportSettings = Static<typeof ImportSettings>

/** What npm has taken for itself if the `--` before the options is missing. Without it, a check would import. */
const takenByNpm = ['check', 'prune'].filter(name => process.env[`npm_config_${name}`])

const readArguments = () => {
  if (takenByNpm.length > 0) throw new Error(`npm has taken --${takenByNpm[0]} for itself: write -- before the arguments\n${usage}`)
  const options = { prune: { type: 'boolean', default: false }, check: { type: 'boolean', default: false } } as const
  const { positionals, values } = readersOf(usage).parsed({ allowPositionals: true, options })
  if (positionals.length === 0) throw new Error(usage)
  return { paths: positionals, ...values }
}

/** A record for each file, or for the command if it accepts none. */
const actsOf = (sources: Source[]) => {
  const acts = sources.map(({ kind, name }) => ({ action: `import ${kind}`, subject: basename(name) }))
  return acts.length > 0 ? acts : [{ action: 'import', subject: null }]
}

const closingLine = (kind: string, { added, changed, unchanged, pruned }: ImportedKind) => {
  const gone = pruned === undefined ? '' : `, ${pruned} ${kind === 'contents' ? 'marked deleted' : 'removed'}`
  return `${kind}: ${added} added, ${changed} changed, ${unchanged} unchanged${gone}`
}

const report = ({ kinds, warnings, interrupted }: ImportResult, check: boolean) => {
  for (const warning of warnings) console.error(`warning: ${lineOf(warning)}`)
  for (const [kind, counts] of Object.entries(kinds)) console.log(closingLine(kind, counts))
  if (!interrupted) return
  const written = !check && Object.keys(kinds).length > 0
  console.error(written ? 'Stopped. Run the command again to complete the import.' : 'Stopped. Nothing was written.')
}

/** The result if the command was stopped while waiting. */
const notBegun: ImportResult = { kinds: {}, warnings: [], interrupted: true }

const run = async () => {
  const { paths, prune, check } = readArguments()
  const { MONGO_URL, AUDIT_DAYS, JWT_ISSUER: issuer, COMPLETED_AT: completedAt }: ImportSettings = readSettings(ImportSettings)
  const { client, db } = connectionTo(MONGO_URL, { serverSelectionTimeoutMS: 5000 })
  const signal = stopOnSignal()
  const progress = progressTo(process.stderr)
  try {
    const { sources, faults } = await filesOf(paths)
    // Files that are added to a folder while this waits for its turn are not imported.
    const files = faults.length > 0 ? paths : sources.map(({ name }) => name)
    const kinds = sources.map(({ kind }) => kind)
    const options = { issuer, completedAt, prune, check, signal, onProgress: progress.update }
    const work = ({ confirm }: Pick<Lease, 'confirm'>) => importFiles(db, files, { ...options, confirm })
    const onWait = () => console.error('Another import is running. Waiting for it to end.')
    const importInTurn = () =>
      auditOf(db, AUDIT_DAYS).during(operator(), actsOf(sources), async end => {
        const result = (await withImportLease(db, work, { kinds, onWait, signal })) ?? notBegun
        if (result.interrupted) end.outcome = 'failed'
        return result
      })
    const result = await (check ? importFiles(db, files, options) : importInTurn())
    progress.clear()
    report(result, check)
    if (!result.interrupted) process.exitCode = 0
  } catch (error) {
    progress.clear()
    throw error
  } finally {
    await client.close()
  }
}

const sentences = (error: unknown) => {
  if (error instanceof ImportError) return `${error.message}\nNothing was imported.`
  if (error instanceof LeaseLost)
    return 'The import lost its lease because the database did not respond for a minute: run the command again to complete it.'
  return isUnavailable(error) ? `${messageOf(error)}\nRun the command again to complete the import.` : messageOf(error)
}

try {
  await run()
} catch (error) {
  console.error(sentences(error))
  process.exitCode = 1
}
