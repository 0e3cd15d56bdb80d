import type { Db, MongoClient } from 'mongodb'
import { ensureIndexes } from '../../src/data/index.js'
import { compare, type Servers } from './comparisons/compare.js'
import { mix } from './comparisons/mix.js'
import { publicPaths, type ScenarioName, scenarios, usualHistory } from './comparisons/scenarios.js'
import { fillAccounts } from './data/accounts.js'
import { fillCatalogue } from './data/catalogue.js'
import { fillHistories } from './data/histories.js'
import { trainOn } from './data/model.js'
import { fillWatchlists } from './data/watchlists.js'
import { growingCatalogues } from './growth/catalogues.js'
import { growingContinueWatching } from './growth/continue-watching.js'
import { growingHistories } from './growth/histories.js'
import { growingHouseholds } from './growth/households.js'
import { growingPopulations } from './growth/populations.js'
import { limits } from './limits/limits.js'
import type { Options } from './options.js'
import { grouped } from './report/format.js'
import type { Section } from './report/section.js'
import { startBare, startExpress, startFeathers, startNest, startService } from './servers/contestants.js'
import type { Server } from './servers/server.js'

interface Setting {
  client: MongoClient
  url: string
  options: Options
  progress: (line: string) => void
  say: (line: string) => void
}

const compared = Object.keys(scenarios) as ScenarioName[]
const onOneDatabase = [...compared, 'mix', 'histories', 'limits']
export const partNames: string[] = [...onOneDatabase, 'continue-watching', 'catalogues', 'users', 'profiles']

/** Runs the requested parts in order. */
export const benchmark = async ({ client, url, options, progress, say }: Setting): Promise<Section[]> => {
  const wants = (...names: string[]) => names.some(name => options.parts.includes(name))
  const sections: Section[] = []

  if (wants(...onOneDatabase)) {
    const db = client.db('bench')
    const address = `${url}/${db.databaseName}`
    await fill(db, options, say)

    say('starting the service and its references')
    const running: Server[] = []
    const started = (server: Server) => {
      running.push(server)
      return server
    }
    try {
      const service = started(await startService(address))
      const bare = started(await startBare(address, service.port, Object.values(publicPaths)))
      const peer = async (start: typeof startExpress) => (wants('history') ? started(await start(address, say)) : bare)
      const express = await peer(startExpress)
      const servers: Servers = {
        service,
        'bare Fastify': bare,
        'Express + Mongoose lean': express,
        'Express + Mongoose': express,
        Nest: await peer(startNest),
        Feathers: await peer(startFeathers)
      }

      for (const name of compared.filter(name => wants(name)))
        sections.push(await compare(scenarios[name], servers, { db, options, progress }))
      if (wants('mix')) sections.push(await mix(started(await startService(address)), db, options, progress))
      if (wants('histories')) sections.push(await growingHistories(service, db, longUsers(options), options))
      if (wants('limits')) sections.push(await limits(service, db, options, progress))
    } finally {
      for (const { stop } of running) await stop()
    }
    await db.dropDatabase()
  }
  if (wants('continue-watching')) sections.push(await growingContinueWatching(client, url, options, say))
  if (wants('catalogues')) sections.push(await growingCatalogues(client, url, options, say))
  if (wants('users')) sections.push(await growingPopulations(client, url, options, say))
  if (wants('profiles')) sections.push(await growingHouseholds(client, url, options, say))
  return sections
}

/** The users whose histories have the compared lengths. Their ids follow those of all other users. */
const longUsers = ({ users, histories }: Options) => histories.map((_, i) => users + 1 + i)

const fill = async (db: Db, { users, contents, histories, seed }: Options, say: (line: string) => void) => {
  say(`${grouped(contents)} contents, ${grouped(users)} users with a history of ${usualHistory}`)
  await fillCatalogue(db, contents, seed, Math.max(...histories))
  await fillHistories(db, [...Array<number>(users).fill(usualHistory), ...histories], seed)
  await fillWatchlists(db, users, contents)
  await fillAccounts(db, users)
  await ensureIndexes(db)
  say('training the recommendation model')
  await trainOn(db)
}
