import { writeFile } from 'node:fs/promises'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { buildApp } from '../src/app.js'
import { readSettings, Settings } from '../src/config.js'
import { orFail } from './command-line.js'

/** Prints lists of one value, and objects that hold no other and fit, on one line, because the document has hundreds of them. */
const printed = (document: object) =>
  JSON.stringify(document, null, 1)
    .replace(/\{\n([^{}]*)\n\s+\}/g, (object, fields: string) => {
      const line = `{ ${fields.trim().replace(/\n\s+/g, ' ')} }`
      return line.length <= longestLine ? line : object
    })
    .replace(/\[\s+("[^"\n]*"|-?[\d.]+)\s+\]/g, '[$1]')

const longestLine = 120

const write = (path: string, text: string) => writeFile(new URL(`../${path}`, import.meta.url), text)

/** Generates the types of the client from the exact OpenAPI document. */
export const clientTypes = async (document: object) =>
  // Callers may omit parameters that have a default.
  COMMENT_HEADER + astToString(await openapiTS(JSON.stringify(document), { defaultNonNullable: false }))

/** Writes openapi.json, and the types of the client. */
const writeDocuments = async () => {
  // The app is only built to read its routes, without a database.
  const app = await buildApp(
    readSettings(Settings, {
      MONGO_URL: 'mongodb://127.0.0.1:1',
      JWT_SECRET: 'only here to read the routes of the app',
      PUBLIC_URL: 'http://localhost:3000',
      DEVICE_URL: 'http://localhost:3000/#device'
    }),
    { logger: false }
  )
  await app.ready()
  await write('openapi.json', `${printed(app.swagger())}\n`)
  await write('client/schema.ts', await clientTypes(app.exactDocument()))
  await app.close()
}

if (process.argv[1] === import.meta.filename) await orFail(writeDocuments)
