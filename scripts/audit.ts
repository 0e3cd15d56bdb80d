import { CommandSettings, settingsOrExit } from '../src/config.js'
import { connectionTo } from '../src/database/connection.js'
import { type AuditDocument, auditOf } from '../src/privacy/audit.js'
import { endWithReader, invocationOf, orFail, readersOf } from './command-line.js'

const usage = `Usage: ${invocationOf('audit')} [--since TIME] [--json]
  --since TIME  only records from this time on: 2026-01-31 or 2026-01-31T12:00:00Z
  --json        one line of JSON per record`

const readArguments = () => {
  const options = { since: { type: 'string', default: '1970-01-01' }, json: { type: 'boolean', default: false } } as const
  const { parsed, time } = readersOf(usage)
  const { since, json } = parsed({ options }).values
  return { at: time('since', since), json }
}

const jsonOf = ({ at, action, actor, subject, outcome, attempts }: AuditDocument) =>
  JSON.stringify({ at, action, actor, subject, outcome, attempts })

const lineOf = ({ at, outcome, action, subject, actor, attempts }: AuditDocument) => {
  const times = attempts === undefined ? [] : [`${attempts} wrong ${attempts === 1 ? 'key' : 'keys'}`]
  return [at.toISOString(), outcome.padEnd(7), action, subject ?? '-', actor, ...times].join('  ')
}

const run = async () => {
  const { at, json } = readArguments()
  const { MONGO_URL, AUDIT_DAYS } = settingsOrExit(CommandSettings)
  const { client, db } = connectionTo(MONGO_URL, { serverSelectionTimeoutMS: 5000, socketTimeoutMS: 30_000 })
  try {
    for await (const record of auditOf(db, AUDIT_DAYS).since(at)) console.log(json ? jsonOf(record) : lineOf(record))
  } finally {
    await client.close()
  }
}

endWithReader()
await orFail(run)
