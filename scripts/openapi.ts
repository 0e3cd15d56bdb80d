import { writeFile } from 'node:fs/promises'
import { buildApp } from '../src/app.js'
import { readSettings, Settings } from '../src/config.js'
import { clientTypes } from './openapi/client-types.js'

const write = (path: string, text: string) => writeFile(new URL(`../${path}`, import.meta.url), text)

// The app is only built to read its routes, without a database.
const app = await buildApp(
  readSettings(Settings, { MONGO_URL: 'mongodb://127.0.0.1:1', JWT_SECRET: 'only here to read the routes of the app' }),
  { logger: false }
)
await app.ready()
const document = `${JSON.stringify(app.swagger(), null, 2)}\n`
await write('openapi.json', document)
await write('client/schema.ts', await clientTypes(document))
await app.close()
