// A process of its own, started by find.ts, so that a download without an answer can be ended.
import { readdirSync } from 'node:fs'
import { MongoBinary } from 'mongodb-memory-server-core'

const brokeOff = () => readdirSync(process.env.MONGOMS_DOWNLOAD_DIR).some(name => name.endsWith('.downloading'))

/** A host out of reach is given up at once; a download that broke off goes on where it stopped. */
const download = async (tries = 5) => {
  try {
    return await MongoBinary.getPath()
  } catch (error) {
    if (tries > 1 && brokeOff()) return download(tries - 1)
    throw error
  }
}

// Whoever watches it counts from here: on a busy machine it takes seconds to start.
console.log('downloading')
try {
  console.log(await download())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
