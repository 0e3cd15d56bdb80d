import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type ImportKind, importKinds } from '../../../schemas/import.js'

/** A file of an import, or a text in its place. It is read twice. */
export interface Source {
  /** As it was given, for messages. */
  name: string
  kind: ImportKind
  format: 'ndjson' | 'json'
  size: number
  open: () => AsyncIterable<Buffer> | Iterable<Buffer>
  /** What it looks like now: another answer later says that it was changed meanwhile. */
  state: () => Promise<string>
}

export interface Sources {
  /** In the order of an import. */
  sources: Source[]
  faults: string[]
}

const fileName = /^(.+)\.(ndjson|json)$/

const names = `${importKinds.join(', ')}, each as .ndjson or .json`

const kindOf = (name: string) => {
  const [, base, format] = fileName.exec(basename(name)) ?? []
  const kind = importKinds.find(kind => kind === base)
  return kind && { kind, format: format as Source['format'] }
}

const sorted = (candidates: Source[], faults: string[]): Sources => {
  const sources: Source[] = []
  for (const kind of importKinds) {
    const [first, ...others] = candidates.filter(source => source.kind === kind)
    if (!first) continue
    sources.push(first)
    for (const other of others) faults.push(`${other.name}: a run has one file of ${kind}, and that is ${first.name}`)
  }
  return { sources, faults }
}

/** The files that paths name: files, or folders of files. */
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

  const look = async (path: string, within = false) => {
    const found = await stat(path)
    if (found.isFile()) add(path, found.size)
    else if (!found.isDirectory() || within) faults.push(`${path}: is not a file`)
    else {
      const inside = (await readdir(path)).filter(name => !name.startsWith('.')).sort()
      if (inside.length === 0) faults.push(`${path}: holds no file to import (${names})`)
      for (const name of inside) await look(join(path, name), true)
    }
  }

  for (const path of paths) {
    try {
      await look(path)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      faults.push(`${path}: ${code === 'ENOENT' ? 'is not there' : message}`)
    }
  }
  return sorted([...sources.values()], faults)
}

/** Texts in the place of files, by the names that the files would have. */
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
  return sorted(sources, faults)
}

const unknownName = (path: string) => `${path}: the name is none of those that can be imported (${names})`
