import { randomUUID } from 'node:crypto'
import { CommandSettings, settingsOrExit } from '../src/config.js'
import { ensureCollections } from '../src/database/collections.js'
import { connectionTo } from '../src/database/connection.js'
import { auditOf, Refusal } from '../src/privacy/audit.js'
import { timestamp } from '../src/time.js'
import {
  agentFor,
  attempt,
  type Endpoint,
  type EventType,
  endpointsOf,
  eventTypes,
  faultOf,
  isStandalone,
  newEndpointId,
  outboxOf
} from '../src/webhooks/index.js'
import { endWithReader, invocationOf, operator, orFail, readersOf, say } from './command-line.js'

const usage = `Usage: ${invocationOf('webhook')} ACTION
  add URL [--events A,B] [--insecure] [--private]
                   prints the id and the secret. Without --events, all events are sent
                   --insecure allows http, --private allows addresses of private networks
  list
  remove ID
  enable ID        enables a disabled endpoint. Waiting events are sent
  test ID          sends webhook.test immediately
  rotate ID        prints a new secret. The old one also signs for a day
  redeliver ID --since TIME
                   sends events delivered since then once more: 2026-01-31 or 2026-01-31T12:00:00Z
Events: ${eventTypes.join(', ')}`

const wrong = (sentence: string) => new Refusal(`${sentence}\n${usage}`)

const options = {
  events: { type: 'string' },
  insecure: { type: 'boolean', default: false },
  private: { type: 'boolean', default: false },
  since: { type: 'string' }
} as const

const actions = ['add', 'list', 'remove', 'enable', 'test', 'rotate', 'redeliver'] as const
type Action = (typeof actions)[number]
const isAction = (action: string): action is Action => (actions as readonly string[]).includes(action)

const isEventType = (name: string): name is EventType => (eventTypes as readonly string[]).includes(name)

const eventsIn = (list: string | undefined) => {
  if (list === undefined) return undefined
  const names = list.split(',').map(name => name.trim())
  const unknown = names.find(name => !isEventType(name))
  if (unknown !== undefined) throw wrong(`There is no event ${unknown}`)
  return [...new Set(names.filter(isEventType))]
}

const readArguments = () => {
  const { parsed, time } = readersOf(usage)
  const { positionals, values } = parsed({ allowPositionals: true, options })
  const [action = '', given = '', ...rest] = positionals
  if (!isAction(action) || rest.length > 0 || (action === 'list') !== (given === '')) throw new Refusal(usage)
  const since = values.since === undefined ? undefined : time('since', values.since)
  if (action === 'redeliver' && !since) throw wrong('redeliver needs --since TIME')
  const events = eventsIn(values.events)
  const fault = action === 'add' ? faultOf(given, { isInsecure: values.insecure, isPrivate: values.private }) : undefined
  if (fault) throw wrong(fault)
  return { action, given, events, isPrivate: values.private, since: since ?? new Date() }
}

const print = (record: object) => console.log(JSON.stringify(record))

/** Prints everything but the secrets. */
const printEndpoint = ({ _id, url, events = [...eventTypes], disabled }: Endpoint) =>
  print({ id: _id, url, events, disabled: disabled ? { at: timestamp(disabled.at), reason: disabled.reason } : null })

const sendTest = async (endpoint: Endpoint) => {
  const body = JSON.stringify({ type: 'webhook.test', timestamp: timestamp(new Date()), data: {} })
  const agent = agentFor(endpoint)
  const { status, cause } = await attempt(endpoint, { id: `msg_${randomUUID()}`, body }, agent)
  agent.destroy()
  if (cause !== undefined) throw new Error(`webhook.test was not delivered: ${cause}`)
  print({ id: endpoint._id, delivered: true, status })
}

const run = async () => {
  const { action, given, events, isPrivate, since } = readArguments()
  const { MONGO_URL, AUDIT_DAYS } = settingsOrExit(CommandSettings)
  const { client, db } = connectionTo(MONGO_URL, { serverSelectionTimeoutMS: 5000 })
  const endpoints = endpointsOf(db)
  const outbox = outboxOf(db)

  const known = async () => {
    const endpoint = await endpoints.byId(given)
    if (!endpoint) throw new Refusal(`There is no endpoint ${given}`)
    return endpoint
  }

  const add = async (id: string) => {
    await ensureCollections(db)
    print({ id, secret: await endpoints.add(id, { url: given, events, isPrivate }) })
    if (await isStandalone(db)) say('Nothing is sent yet: webhooks need a replica set, and MONGO_URL is a standalone server')
  }

  const change = async (id: string) => {
    if (action === 'add') return add(id)
    await known()
    if (action === 'rotate') return print({ id, secret: await endpoints.rotate(id) })
    if (action === 'redeliver') return print({ id, redelivered: await outbox.makeDueAgain(id, since) })
    if (action === 'enable') {
      await outbox.makeWaitingDue(id)
      await endpoints.enable(id)
      return print({ id, enabled: true })
    }
    await endpoints.remove(id)
    await outbox.remove(id)
    print({ id, removed: true })
  }

  try {
    if (action === 'list') for (const endpoint of await endpoints.list()) printEndpoint(endpoint)
    else if (action === 'test') await sendTest(await known())
    else {
      const id = action === 'add' ? newEndpointId() : given
      await auditOf(db, AUDIT_DAYS).during(operator(), [{ action: `webhook ${action}`, subject: id }], () => change(id))
    }
  } finally {
    await client.close()
  }
}

endWithReader()
await orFail(run)
