import type { Static } from '@sinclair/typebox'
import type { Db } from 'mongodb'
import type { ImportKind, importRecords } from '../../schemas/import.js'
import { defaultCompletedAt } from '../config.js'
import { ensureCollections } from '../database/collections.js'
import type { Lease } from '../database/leases.js'
import { Nudger, nudgesOf, type OnChange, type Teller, tellerOf } from '../sync/index.js'
import { checkFile, type Fault, Faults, ImportError, type RecordFault, warningsOf } from './checking.js'
import { GivenContents, type ImportRun, type Kind, KnownIds, type Pruning } from './kind.js'
import { contents } from './kinds/contents.js'
import { legal, people, schedule, supportTexts } from './kinds/documents.js'
import { history } from './kinds/history.js'
import { hidden, preferences, ratings, watchlist } from './kinds/lists.js'
import { railCollections } from './kinds/rail-collections.js'
import { terms } from './kinds/terms.js'
import { users } from './kinds/users.js'
import type { BatchOptions } from './records.js'
import { Replacements } from './replacements.js'
import { filesOf, type Source, textsOf } from './sources.js'
import { type Counts, countFile, pruneKind, writeFile } from './writing.js'

export { ImportError, lineOf } from './checking.js'

type Kinds = { [K in ImportKind]: Kind<Static<(typeof importRecords)[K]>> }

const kindsOf = (run: ImportRun): Kinds => {
  const replacements = new Replacements(run)
  return {
    users: users(run),
    terms: terms(run),
    people: people(run),
    contents: contents(run, replacements),
    'rail-collections': railCollections(run),
    legal: legal(run),
    schedule: schedule(run),
    'support-texts': supportTexts(run),
    history: history(run, replacements),
    watchlist: watchlist(run, replacements),
    hidden: hidden(run, replacements),
    ratings: ratings(run, replacements),
    preferences: preferences(run, replacements)
  }
}

/** Each file is read twice: once to check it and once to write it, or to compare it with the database. */
export interface ImportProgress {
  step: 'check' | 'write' | 'compare'
  file: string
  records: number
  /** Bytes of all files in this step. */
  done: number
  total: number
}

export interface ImportOptions {
  /** `iss` of users with a `sub`. */
  issuer?: string | undefined
  /** Percentage from which an item counts as completed. */
  completedAt?: number | undefined
  /** Removes catalogue documents that are missing from their file. Contents are only marked as deleted. */
  prune?: boolean | undefined
  /** Counts what would change, without writing anything. */
  check?: boolean | undefined
  onProgress?: ((progress: ImportProgress) => void) | undefined
  /** Confirms the lease of the run. If it is not given, nothing else may import meanwhile. */
  confirm?: Lease['confirm']
  /** Stops the run after the current batch. */
  signal?: AbortSignal | undefined
}

export interface ImportedKind extends Counts {
  /** The number of removed documents, or of contents now marked as deleted. Undefined without `prune`. */
  pruned?: number
}

export interface ImportResult {
  /** An interrupted run may not have reached all kinds. */
  kinds: Partial<Record<ImportKind, ImportedKind>>
  /** The first hundred possible mistakes, which were written all the same. */
  warnings: RecordFault[]
  interrupted: boolean
}

/** Imports files, folders of files, or strings by file name. If any record is wrong, throws an ImportError and writes nothing. */
export const importFiles = async (db: Db, input: string[] | Record<string, string>, options: ImportOptions = {}): Promise<ImportResult> => {
  const nudger = new Nudger(nudgesOf(db))
  try {
    return await importNoticed(db, input, options, nudger.onChange)
  } finally {
    await nudger.close()
  }
}

const importNoticed = async (
  db: Db,
  input: string[] | Record<string, string>,
  options: ImportOptions,
  onChange: OnChange
): Promise<ImportResult> => {
  const { signal, check = false, confirm = async () => ({}) } = options
  const { sources, faults } = Array.isArray(input) ? await filesOf(input) : textsOf(input)
  const run = runOf(db, sources, options)
  const kinds = kindsOf(run)
  const result: ImportResult = { kinds: {}, warnings: [], interrupted: false }
  const isInterrupted = () => {
    result.interrupted = signal?.aborted ?? false
    return result.interrupted
  }

  const states = await Promise.all(sources.map(source => source.state()))
  await checkAll(sources, kinds, faults, options)
  if (isInterrupted()) return result
  for (const source of sources) result.warnings.push(...(await warningsOf(source, kinds[source.kind])))

  const { step, store, remove } = check ? comparison : writes(db, confirm, tellerOf(onChange))
  if (!check) {
    await confirm()
    await ensureCollections(db)
  }
  const progress = progressOf(step, sources, options)
  for (const [at, source] of sources.entries()) {
    await assertUnchanged(source, states[at])
    result.kinds[source.kind] = await store(source, kinds[source.kind], { onBatch: progress(source), signal })
    if (isInterrupted()) return result
    await assertUnchanged(source, states[at])
  }

  for (const name of run.pruned) {
    const { pruning, revision } = kinds[name]
    if (!pruning) continue
    result.kinds[name] = { ...(result.kinds[name] as Counts), pruned: await remove(pruning, revision) }
    if (isInterrupted()) return result
  }
  return result
}

/** Throws an ImportError if anything is wrong. */
const checkAll = async (sources: Source[], kinds: Kinds, wrongFiles: Fault[], options: ImportOptions) => {
  const { signal } = options
  const faults = new Faults()
  for (const fault of wrongFiles) faults.add(fault)
  const progress = progressOf('check', sources, options)
  for (const source of sources) {
    await checkFile(source, kinds[source.kind], faults, { onBatch: progress(source), signal })
    if (signal?.aborted) return
  }
  if (faults.any) throw new ImportError(faults)
}

/** What to do with files that have been checked. */
interface Execution {
  step: ImportProgress['step']
  store: (source: Source, kind: Kind, options: BatchOptions) => Promise<Counts>
  /** Resolves with the number of documents. */
  remove: (pruning: Pruning, revision: Kind['revision']) => Promise<number>
}

const writes = (db: Db, confirm: Lease['confirm'], tell: Teller): Execution => ({
  step: 'write',
  store: (source, kind, options) => writeFile(db, source, kind, { ...options, confirm, tell }),
  remove: (pruning, revision) => pruneKind(db, pruning, revision, confirm)
})

const comparison: Execution = {
  step: 'compare',
  store: countFile,
  remove: async ({ ids }) => (await ids()).length
}

const runOf = (db: Db, sources: Source[], options: ImportOptions): ImportRun => {
  const { issuer, completedAt = defaultCompletedAt, prune, check = false } = options
  const pruned = new Set(prune ? sources.map(({ kind }) => kind) : [])
  return {
    db,
    issuer,
    completedAt,
    pruned,
    ids: {
      users: new KnownIds(db, 'users'),
      terms: new KnownIds(db, 'terms', pruned.has('terms')),
      people: new KnownIds(db, 'people', pruned.has('people')),
      // Pruned contents are only marked as deleted, so others may refer to them.
      contents: new KnownIds(db, 'contents')
    },
    contents: new GivenContents(),
    isCheck: check
  }
}

/** Returns a function from a source to its `onBatch`. */
const progressOf = (step: ImportProgress['step'], sources: Source[], { onProgress }: ImportOptions) => {
  const total = sources.reduce((sum, { size }) => sum + size, 0)
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

/** Only checked records may be written. */
const assertUnchanged = async (source: Source, state: string | undefined) => {
  if ((await source.state()) !== state) throw new Error(`${source.name} was changed during the import. Run the import again.`)
}
