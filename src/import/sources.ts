import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type ImportKind, importKinds } from '../../schemas/import.js'

/** A file to import, or a string in its place. It is read twice. */
export interface Source {
  /** As the user gave it, for messages. */
  name: string
  kind: ImportKind
  format: 'ndjson' | 'json'
  size: number
  open: () => AsyncIterable<Buffer> | Iterable<Buffer>
  /** Returns a different value if the file has been changed since the last call. */
  state: () => Promise<string>
}

export interface Sources {
  /** In the order in which they are imported. */
  sources: Source[]
  faults: string[]
}

const fileName = /^(.+)\.(ndjson|json)$/

const fileNames = `${importKinds.join(', ')}, each as .ndjson or .json`

const kindOf = (name: string) => {
  const [, base, format] = fileName.exec(basename(name)) ?? []
  const kind = importKinds.find(kind => kind === base)
  return kind && { kind, format: format as Source['format'] }
}

const inImportOrder = (candidates: Source[], faults: string[]): Sources => {
  const sources: Source[] = []
  for (const kind of importKinds) {
    const [first, ...others] = candidates.filter(source => source.kind === kind)
    if (!first) continue
    sources.push(first)
    for (const other of others) faults.push(`${other.name}: the import already takes ${kind} from ${first.name}`)
  }
  return { sources, faults }
}

export const filesOf = async (paths: string[]): Promise<Sources> => {
  const sources = new Map<string, Source>()
  const faults: string[] = []

  const add = (path: string, size: number) => {
    const known = kindOf(path)
    if (!known) {
      faults.push(unknownName(path))
      return
    }
    const state = async () => {
      const { size, mtimeMs } = await stat(path)
      return `${size} ${mtimeMs}`
    }
    sources.set(resolve(path), {
      name: path,
      ...known,
      size,
      open: () => createReadStream(path, { highWaterMark: 256 * 1024 }),
      state
    })
  }

  const visit = async (path: string, inFolder = false) => {
    const found = await stat(path)
    if (found.isFile()) add(path, found.size)
    else if (!found.isDirectory()) faults.push(`${path}: is neither a file nor a folder`)
    else if (inFolder) faults.push(`${path}: is a folder within a folder`)
    else {
      const names = (await readdir(path)).filter(name => !name.startsWith('.')).sort()
      if (names.length === 0) faults.push(`${path}: contains no file to import (expected ${fileNames})`)
      for (const name of names) await visit(join(path, name), true)
    }
  }

  for (const path of paths) {
    try {
      await visit(path)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      faults.push(`${path}: ${code === 'ENOENT' ? 'does not exist' : message}`)
    }
  }
  return inImportOrder([...sources.values()], faults)
}

/** The sources in strings by file name. */
export const textsOf = (texts: Record<string, string>): Sources => {
  const faults: string[] = []
  const sources = Object.entries(texts).flatMap(([name, text]) => {
    const known = kindOf(name)
    if (!known) {
      faults.push(unknownName(name))
      return []
    }
    const bytes = Buffer.from(text)
    return { name, ...known, size: bytes.length, open: () => [bytes], state: async () => '' }
  })
  return inImportOrder(sources, faults)
}

const unknownName = (path: string) => `${path}: has an unknown name (expected ${fileNames})`
