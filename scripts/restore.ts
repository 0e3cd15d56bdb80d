import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { BSON } from 'mongodb'
import { CommandSettings, settingsOrExit } from '../src/config.js'
import { ensureCollections } from '../src/database/collections.js'
import { connectionTo } from '../src/database/connection.js'
import { type RestoreNote, restoresOf } from '../src/database/restores.js'
import { auditOf } from '../src/privacy/audit.js'
import { invocationOf, operator, orFail, readersOf } from './command-line.js'
import { writePrivateFile } from './output.js'

const usage = `Usage: ${invocationOf('restore')} ACTION
  save FILE     run before a backup is restored: saves what the restore must not undo
  finish FILE   run afterwards: reapplies it, ends all sessions, and advances the id counters
  finish --lost    the same, if the database was lost before anything could be saved`

type Restores = ReturnType<typeof restoresOf>

const notesAtOnce = 1000

const readArguments = () => {
  const options = { lost: { type: 'boolean', default: false } } as const
  const { positionals, values } = readersOf(usage).parsed({ allowPositionals: true, options })
  const [action, file] = positionals
  const isSave = action === 'save' && !values.lost
  // Without a file, `--lost` is required, so that the file is not omitted by mistake.
  const isFinish = action === 'finish' && values.lost === (file === undefined)
  if (positionals.length > 2 || !((isSave && file) || isFinish)) throw new Error(usage)
  return { action, file }
}

/** The file is private, because it has password hashes. */
const save = async (restores: Restores, path: string, records: string[]) => {
  const count = { erasures: 0, users: 0, audit: 0 }
  const lines = async function* () {
    for await (const note of restores.notes()) {
      count[note.collection]++
      // This is the record of the save itself, which is done if the file exists.
      if (records.includes(String(note._id))) note.fields.outcome = 'done'
      yield `${BSON.EJSON.stringify(note)}\n`
    }
  }
  await writePrivateFile(path, lines())
  return count
}

const parsed = (line: string): RestoreNote | undefined => {
  try {
    return BSON.EJSON.parse(line)
  } catch {
    return undefined
  }
}

const bringBack = async (restores: Restores, path: string) => {
  const count = { erasures: 0, users: 0, audit: 0 }
  let notes: RestoreNote[] = []
  const apply = async () => {
    await restores.apply(notes)
    notes = []
  }
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const note = parsed(line)
    if (!note || !(note.collection in count)) throw new Error(`${path} was not written by save`)
    count[note.collection]++
    if (notes.push(note) === notesAtOnce) await apply()
  }
  await apply()
  return count
}

const run = async () => {
  const { action, file } = readArguments()
  const { MONGO_URL, AUDIT_DAYS } = settingsOrExit(CommandSettings)
  const { client, db } = connectionTo(MONGO_URL, { serverSelectionTimeoutMS: 5000 })
  const restores = restoresOf(db)
  const act = { action: `restore ${action}`, subject: file === undefined ? null : basename(file) }
  try {
    await auditOf(db, AUDIT_DAYS).during(operator(), [act], async (_end, records) => {
      if (action === 'save') {
        console.log(JSON.stringify({ saved: await save(restores, file as string, records) }))
      } else {
        await ensureCollections(db)
        const broughtBack = file === undefined ? undefined : await bringBack(restores, file)
        await restores.finish()
        console.log(JSON.stringify({ finished: true, brought_back: broughtBack }))
      }
    })
  } finally {
    await client.close()
  }
}

await orFail(run)
