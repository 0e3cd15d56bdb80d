import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript'
import { buildApp } from '../src/app.js'
import { readSettings, Settings } from '../src/config.js'
import { orFail } from './command-line.js'
import { root } from './root.js'

const longestLine = 160

/** Prints a value on one line if it fits, because the document has hundreds of small objects. */
const printed = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value, null, 1)
    .replace(/([{[])\n\s*|\n\s*(?=[}\]])/g, '$1')
    .replace(/\n\s*/g, ' ')
  if (typeof value !== 'object' || value === null || indent.length + line.length <= longestLine) return line
  const inner = `${indent} `
  const item = ([key, child]: [string, unknown]) => inner + (Array.isArray(value) ? '' : `${JSON.stringify(key)}: `) + printed(child, inner)
  const items = Object.entries(value).filter(([, child]) => child !== undefined)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${items.map(item).join(',\n')}\n${indent}${close}`
}

const write = (path: string, text: string) => writeFile(join(root, path), text)

/** Drops alternatives that only list required fields. As types, these would be `unknown`, and so would the whole union. */
const withoutNeeds = (key: string, value: unknown) =>
  key === 'anyOf' && Array.isArray(value) && value.every(choice => Object.keys(choice).join() === 'required') ? undefined : value

/** Generates the types of the client from the exact OpenAPI document. */
export const clientTypes = async (document: object) =>
  // Callers may omit parameters that have a default.
  COMMENT_HEADER + astToString(await openapiTS(JSON.stringify(document, withoutNeeds), { defaultNonNullable: false }))

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
