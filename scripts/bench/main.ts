import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Db, MongoClient } from 'mongodb'
import { ensureCollections } from '../../src/database/collections.js'
import { dataOf } from '../../src/database/data.js'
import { trainModel } from '../../src/recommendations/learning/training.js'
import { orFail } from '../command-line.js'
import { startMongod } from '../mongod/start.js'
import { runOn } from '../nodes.js'
import { root } from '../root.js'
import type { Server } from '../servers.js'
import { comparison } from './compare.js'
import { fillCatalogue } from './data/catalogue.js'
import { fillAccounts, fillHistories, fillWatchlists } from './data/viewers.js'
import { type Options, readOptions } from './options.js'
import { factsOf, goalsOf, progress, type Section, say, sectionOf } from './report.js'
import { otherHistories, publicPaths, scenarios, usualHistory } from './scenarios.js'
import { startBare, startExpress, startService } from './servers/server.js'

/** Measures the service against its references. Only ratios within one run are meaningful. */
const measure = async (options: Options) => {
  const mongod = await startMongod({ say, cacheGB: 1 })
  const client = await MongoClient.connect(mongod.url)
  const running: Server[] = []
  const started = (server: Server) => {
    running.push(server)
    return server
  }

  try {
    const sections: Section[] = []
    const done = (section: Section) => {
      progress('')
      console.log(sectionOf(section))
      sections.push(section)
    }
    const asked = Object.entries(scenarios).filter(([name]) => options.parts.includes(name))
    if (asked.length > 0) {
      const db = client.db('bench')
      const url = `${mongod.url}/${db.databaseName}`
      await fill(db, options)
      say('starting the service and its references')
      const service = started(await startService(url))
      const bare = started(await startBare(url, service.port, Object.values(publicPaths)))
      const needsExpress = asked.some(([, { peers }]) => peers.includes('Express + Mongoose'))
      const express = needsExpress ? started(await startExpress(url)) : bare
      const servers = { service, 'bare Fastify': bare, 'Express + Mongoose': express }
      const compare = comparison(db, options)

      for (const [, scenario] of asked) {
        const own = scenario.memory ? { ...servers, service: started(await startService(url)) } : servers
        done(await compare(scenario, own, progress))
      }
    }

    console.log(`${goalsOf(sections)}\n\n${await factsOf(client.db())}`)
  } finally {
    for (const server of running) await server.end('SIGKILL')
    await client.close()
    await mongod.stop()
  }
}

const fill = async (db: Db, { users, contents }: Options) => {
  say(`${contents} contents, ${users} users with a history of ${usualHistory}`)
  await fillCatalogue(db, contents, Math.max(...otherHistories))
  await fillHistories(db, [...Array<number>(users).fill(usualHistory), ...otherHistories])
  await fillWatchlists(db, users, contents)
  await fillAccounts(db, users)
  await ensureCollections(db)
  say('training the recommendation model')
  const data = dataOf(db, { LOGIN_LIMIT: 0, ACCESS_TOKEN_TTL: 0, REFRESH_TOKEN_TTL: 0, REFRESH_GRACE: 0, COMPLETED_AT: 90, AUDIT_DAYS: 1 })
  await trainModel(data, { completedAt: 90, interestFrom: 5 })
}

// Runs on the major version of Node.js in the image, whatever version started this command.
await orFail(async () => {
  const options = readOptions()
  const version = (await readFile(join(root, '.nvmrc'), 'utf8')).trim()
  if (process.versions.node.startsWith(`${version}.`)) await measure(options)
  else process.exitCode = await runOn(version, ['--import', 'tsx', import.meta.filename, ...process.argv.slice(2)])
})
