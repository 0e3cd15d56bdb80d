import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoPassword, demoUsers } from '../../demo/users.js'
import { cacheFolder } from '../cache.js'
import { missingCalls } from './calls.js'
import type { Client } from './generated-clients.js'
import { missing } from './missing.js'
import { runProgram } from './run-program.js'
import type { Service } from './service.js'
import { resolved } from './tools.js'

const journeys = join(import.meta.dirname, 'journeys')

/** The document without a field that the service sends, so that a client that refuses unknown fields fails. */
const olderDocument = (text: string) => {
  const document = JSON.parse(text)
  const { Content } = document.components.schemas
  delete Content.properties.link
  Content.required = Content.required.filter((name: string) => name !== 'link')
  return JSON.stringify(document)
}

/** A folder with the journey of a client, if it has one, and with the document that it is generated from. */
const prepare = async (name: string, { journey }: Client, { url }: Service) => {
  const published = await (await fetch(`${url}/openapi.json`)).text()
  const folder = join(cacheFolder('clients'), 'work', name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  if (existsSync(join(journeys, name))) await cp(join(journeys, name), folder, { recursive: true })
  await writeFile(join(folder, 'openapi.json'), journey ? olderDocument(published) : published)
  return folder
}

/** Generates a client and makes its journey. Resolves with what was done, or why not. Rejects with what failed. */
export const tryClient = async (name: string, client: Client, service: Service, say: (line: string) => void) => {
  const { needs, commandLine, journey } = client
  const lacking = missing(needs)
  if (lacking) return `skipped: there is no ${lacking} on this machine`
  const cwd = await prepare(name, client, service)
  await runProgram(await resolved(commandLine, say), { cwd })
  if (!journey) return 'passed'
  const lackingHere = missing(journey.needs)
  if (lackingHere) return `generated, but not compiled: there is no ${lackingHere} on this machine`

  service.calls.clear()
  const env = { ...process.env, VIEWER_URL: service.url, VIEWER_EMAIL: demoUsers[0].email, VIEWER_PASSWORD: demoPassword }
  for (const step of journey.steps) await runProgram(step, { cwd, env })
  const left = journey.isComplete ? missingCalls(service.calls) : []
  if (left.length > 0) throw new Error(`The journey did not make: ${left.join(', ')}`)
  return 'passed'
}
