import { MongoClient } from 'mongodb'
import { startMongod } from '../mongod/start.js'
import { benchmark, partNames } from './benchmark.js'
import { readOptions } from './options.js'
import { writeDocument } from './report/document.js'
import { gatherFacts } from './report/facts.js'
import { writeFigures } from './report/figures.js'
import { print, progress, say } from './report/terminal.js'

/**
 * Measures the service against its references, how its costs grow, and what happens at its limit. Only ratios within one run are
 * meaningful.
 */
try {
  const options = readOptions(partNames)
  const mongod = await startMongod({ say, cacheGB: 1 })
  const client = await MongoClient.connect(mongod.url)
  try {
    const sections = await benchmark({ client, url: mongod.url, options, progress, say })
    const facts = await gatherFacts(client.db())
    progress('')
    print(sections)
    if (options.json) await writeFigures(options.json, sections, facts, options)
    if (options.write) await writeDocument(sections, facts, options)
  } finally {
    await client.close()
    await mongod.stop()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
