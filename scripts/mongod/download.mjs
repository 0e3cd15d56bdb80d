// Runs in a separate process, started by downloads.ts, so that a stalled download can be killed.
import { readdirSync } from 'node:fs'
import { MongoBinary } from 'mongodb-memory-server'

const wasInterrupted = () => readdirSync(process.env.MONGOMS_DOWNLOAD_DIR).some(name => name.endsWith('.downloading'))

/** Resumes an interrupted download, but gives up at once if the host is unreachable. */
const download = async (tries = 5) => {
  try {
    return await MongoBinary.getPath()
  } catch (error) {
    if (tries > 1 && wasInterrupted()) return download(tries - 1)
    throw error
  }
}

// The parent starts its timer here, because on a busy machine it takes seconds to start this process.
console.log('downloading')
try {
  console.log(await download())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
