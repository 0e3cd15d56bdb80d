import { once } from 'node:events'
import { setPriority } from 'node:os'
import { closeSoon, connectionTo } from '../database/connection.js'
import { leasesOf } from '../database/leases.js'
import { stopSignals } from '../process/serve.js'
import { importFiles } from './index.js'
import { type ImportOrder, outcomeOf, outcomeOfError } from './upload.js'

// upload.ts starts this process. Processes that serve requests take precedence over it.
setPriority(10)
// The service disconnects to stop an import, and so does a crash; the import then ends after its current batch. Signals are ignored,
// because Ctrl-C and some service managers signal the whole group.
const stop = new AbortController()
process.on('disconnect', () => stop.abort())
for (const signal of stopSignals) process.on(signal, () => {})

const [{ url, path, lease, ...options }] = (await once(process, 'message')) as [ImportOrder]
const { client, db } = connectionTo(url, { serverSelectionTimeoutMS: 5000 })
const held = lease ? leasesOf(db).held(lease.name, lease.holder) : {}
const outcome = await importFiles(db, [path], { ...options, ...held, signal: stop.signal }).then(outcomeOf, outcomeOfError)
await closeSoon(client)
process.send?.(outcome, () => process.exit())
