import { once } from 'node:events'
import { setPriority } from 'node:os'
import { closeSoon, connectionTo } from '../database/connection.js'
import { leasesOf } from '../database/leases.js'
import { stopSignals } from '../process/serve.js'
import { importLease } from './import-lease.js'
import { importFiles } from './index.js'
import { type ImportOrder, outcomeOf, outcomeOfError } from './upload.js'

// Processes that serve requests take precedence over this one, which upload.ts starts.
setPriority(10)
// The service disconnects to stop an import, and a crash disconnects too: the import then ends after its batch. Ctrl-C and some service
// managers signal the whole group, so signals are ignored.
const stop = new AbortController()
process.on('disconnect', () => stop.abort())
for (const signal of stopSignals) process.on(signal, () => {})

const [{ url, path, holder, ...options }] = (await once(process, 'message')) as [ImportOrder]
const { client, db } = connectionTo(url, { serverSelectionTimeoutMS: 5000 })
const lease = holder === undefined ? {} : leasesOf(db).held(importLease, holder)
const outcome = await importFiles(db, [path], { ...options, ...lease, signal: stop.signal }).then(outcomeOf, outcomeOfError)
await closeSoon(client)
process.send?.(outcome, () => process.exit())
