import type { Db } from 'mongodb'
import type { ImportKind } from '../../schemas/import.js'
import { ensureIndexes } from '../data/index.js'
import { checkFile } from './checking/check.js'
import { Faults, ImportError } from './checking/faults.js'
import { KnownIds } from './checking/known-ids.js'
import type { Run } from './kind.js'
import { kindsOf } from './kinds/index.js'
import { filesOf, type Source, textsOf } from './reading/sources.js'
import { pruneKind } from './writing/prune.js'
import { type Counts, writeFile } from './writing/write.js'

export { ImportError } from './checking/faults.js'

/** How far a run is. Each file is read twice: once to check it and once to write it. */
export interface Progress {
  step: 'check' | 'write'
  file: string
  records: number
  /** Of all files of the step. */
  done: number
  total: number
}

export interface ImportOptions {
  /** `iss` of the users who have a `sub`. */
  issuer?: string | undefined
  /** Whether every catalogue file is the full list of its kind. */
  prune?: boolean | undefined
  onProgress?: ((progress: Progress) => void) | undefined
  /** Ends the run after the batch under way. */
  signal?: AbortSignal | undefined
}

export interface ImportedKind extends Counts {
  /** What the run took away; undefined where that was not asked. */
  pruned?: number
}

export interface ImportResult {
  /** Of the kinds that were reached. */
  kinds: Partial<Record<ImportKind, ImportedKind>>
  interrupted: boolean
}

/** Imports files or folders of files, or texts by the names of files. Throws an ImportError where a record is wrong, and then writes nothing. */
export const importFiles = async (db: Db, input: string[] | Record<string, string>, options: ImportOptions = {}): Promise<ImportResult> => {
  const { issuer, prune = false, onProgress, signal } = options
  const { sources, faults: wrongFiles } = Array.isArray(input) ? await filesOf(input) : textsOf(input)
  const faults = new Faults()
  for (const fault of wrongFiles) faults.add(fault)

  const pruned = new Set(prune ? sources.map(({ kind }) => kind) : [])
  const run: Run = {
    db,
    issuer,
    pruned,
    ids: {
      users: new KnownIds(db, 'users'),
      terms: new KnownIds(db, 'terms', pruned.has('terms')),
      contents: new KnownIds(db, 'contents')
    }
  }
  const kinds = kindsOf(run)
  const result: ImportResult = { kinds: {}, interrupted: false }
  const interrupted = () => {
    result.interrupted = signal?.aborted ?? false
    return result.interrupted
  }

  const total = sources.reduce((sum, { size }) => sum + size, 0)
  const progressOf = (step: Progress['step']) => {
    let done = 0
    return (source: Source) => {
      let records = 0
      return (bytes: number, count: number) => {
        done += bytes
        records += count
        onProgress?.({ step, file: source.name, records, done, total })
      }
    }
  }

  const states = await Promise.all(sources.map(source => source.state()))
  const checking = progressOf('check')
  for (const source of sources) {
    await checkFile(source, kinds[source.kind], faults, { onBatch: checking(source), signal })
    if (interrupted()) return result
  }
  if (faults.any) throw new ImportError(faults)

  await ensureIndexes(db)
  const writing = progressOf('write')
  for (const [at, source] of sources.entries()) {
    await refuseChanged(source, states[at])
    result.kinds[source.kind] = await writeFile(db, source, kinds[source.kind], { onBatch: writing(source), signal })
    if (interrupted()) return result
    await refuseChanged(source, states[at])
  }

  for (const { kind } of sources) {
    const counts = result.kinds[kind]
    const { prune: takeAway, revision } = kinds[kind]
    if (!prune || !counts || !takeAway || !revision) continue
    counts.pruned = await pruneKind(db, takeAway, revision)
    if (interrupted()) return result
  }
  return result
}

/** What was checked must be what is written. */
const refuseChanged = async (source: Source, state: string | undefined) => {
  if ((await source.state()) !== state) throw new Error(`${source.name} was changed while it was imported: run the import again`)
}
