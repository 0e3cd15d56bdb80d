import { cpus } from 'node:os'
import { MongoClient } from 'mongodb'
import { startMongod } from '../mongod/start.js'
import { compare, type Servers } from './compare.js'
import { startBare, startExpress, startService } from './contestants.js'
import { fillCatalogue, fillHistories } from './data.js'
import { type Growth, growingCatalogues, growingHistories } from './growth.js'
import { type Compared, progress, report, say } from './report.js'
import { publicPaths, type ScenarioName, scenarios } from './scenarios.js'
import { readSizes, type Sizes } from './sizes.js'

/** How fast the service is beside its references, and how its cost grows. Only the ratios of one run mean something. */
const growing = ['histories', 'catalogues'] as const
const compared = Object.keys(scenarios) as ScenarioName[]

const run = async (sizes: Sizes) => {
  const mongod = await startMongod({ say, cacheGB: 1 })
  const client = await MongoClient.connect(mongod.url)
  const db = client.db('bench')
  const url = `${mongod.url}/bench`
  const running: { stop: () => Promise<void> }[] = []
  const started = <T extends { stop: () => Promise<void> }>(server: T) => {
    running.push(server)
    return server
  }

  const comparisons: Compared[] = []
  const growths: Growth[] = []
  try {
    await fillCatalogue(db, sizes.contents, sizes.seed, say, Math.max(...sizes.histories))
    await fillHistories(db, [...Array<number>(sizes.users).fill(200), ...sizes.histories], sizes.seed, say)

    say('starting the service and its references')
    const service = started(await startService(url))
    const bare = started(await startBare(url, service.port, Object.values(publicPaths)))
    const express = sizes.names.includes('history') ? started(await startExpress(url, say)) : bare
    const servers: Servers = { service, 'bare Fastify': bare, 'Express + Mongoose lean': express, 'Express + Mongoose': express }

    for (const name of compared.filter(name => sizes.names.includes(name)))
      comparisons.push(await compare(name, servers, db, sizes, progress))
    if (sizes.names.includes('histories'))
      growths.push(
        await growingHistories(
          service,
          sizes.histories.map((_, i) => sizes.users + 1 + i),
          sizes
        )
      )
    if (sizes.names.includes('catalogues')) growths.push(await growingCatalogues(client, mongod.url, sizes, say))

    const { version } = await db.admin().serverInfo()
    progress('')
    await report(
      comparisons,
      growths,
      { at: new Date().toISOString(), node: process.version, mongod: version, processors: cpus().map(({ model }) => model), sizes },
      sizes.json
    )
  } finally {
    for (const { stop } of running) await stop()
    await client.close()
    await mongod.stop()
  }
}

try {
  await run(readSizes([...compared, ...growing]))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
