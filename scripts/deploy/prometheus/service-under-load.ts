import { connectionTo } from '../../../src/data/driver/connection.js'
import { startMongod } from '../../mongod/start.js'
import { fill } from '../../soak/data.js'
import { Service } from '../../soak/processes/service.js'
import { importKey, makeLoad } from './load.js'
import { type Prometheus, startPrometheus } from './server.js'

const contents = 500
const viewers = 60

/** Small enough that the load exceeds the limits. */
const settings = { TRAIN: 'auto', MAX_WAITING: '24', RATE_LIMIT: '750', LOGIN_LIMIT: '10', IMPORT_KEY: importKey }

export interface ServiceUnderLoad {
  prometheus: Prometheus
  /** The text of /metrics of one process. */
  metrics: string
  /** When the load began and ended, in seconds. */
  began: number
  ended: number
}

/** Calls `look` once Prometheus has watched two processes of the built service under load. */
export const withServiceUnderLoad = async (
  server: string,
  { seconds, say }: { seconds: number; say: (line: string) => void },
  look: (service: ServiceUnderLoad) => Promise<void>
) => {
  const cleanups: (() => Promise<unknown>)[] = []
  try {
    const mongod = await startMongod({ say })
    cleanups.push(mongod.stop)
    const { client, db } = connectionTo(mongod.url)
    cleanups.push(() => client.close())
    await fill(db, { contents, viewers })

    const ports: number[] = []
    for (let n = 0; n < 2; n++) {
      const service = await Service.start({ url: mongod.url, built: 'dist', settings })
      cleanups.push(() => service.end('SIGTERM'))
      ports.push(service.port)
    }
    const prometheus = await startPrometheus(server, ports)
    cleanups.push(prometheus.stop)

    say(`two processes under load for ${seconds} s`)
    const began = Date.now() / 1000
    await makeLoad({ ports, contents, viewers, mongod: mongod.pid, seconds })
    const metrics = await fetch(`http://127.0.0.1:${ports[0]}/metrics`).then(answer => answer.text())
    await look({ prometheus, metrics, began, ended: Date.now() / 1000 })
  } finally {
    for (const cleanUp of cleanups.reverse()) await cleanUp()
  }
}
