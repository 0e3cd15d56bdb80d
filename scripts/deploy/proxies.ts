import { connectionTo } from '../../src/data/driver/connection.js'
import { startMongod } from '../mongod/start.js'
import { fill } from '../soak/data.js'
import { Service } from '../soak/processes/service.js'
import type { Check } from './check.js'
import { haproxy } from './proxies/haproxy.js'
import { idle } from './proxies/idle.js'
import { nginx } from './proxies/nginx.js'
import { missing, passing } from './proxies/passing.js'
import { type Program, startProxy } from './proxies/program.js'
import { rolling } from './proxies/rolling.js'
import { importKey, serving } from './proxies/serving.js'

const size = { viewers: 32, contents: 500 }
const settings = {
  TRUST_PROXY: 'loopback',
  COUNTRY_HEADER: 'X-Country',
  DRAIN_DELAY: '5000',
  IMPORT_KEY: importKey,
  // Proxies, services, database and callers share one machine, so a slow event loop says nothing about the service.
  MAX_EVENT_LOOP_DELAY: '0'
}

/** Runs a real proxy with its configuration from deploy/: in front of servers that record what it sends, then of the built service. */
const checkOf =
  (program: Program): Check =>
  async say => [...(await passing(program)), ...(await missing(program)), ...(await behind(program, say))]

export const proxies = { nginx: checkOf(nginx), haproxy: checkOf(haproxy) }

const behind = async (program: Program, say: (line: string) => void) => {
  const mongod = await startMongod({ say: () => undefined })
  const url = `${mongod.url}/deploy`
  const { client, db } = connectionTo(url)
  const cleanups: (() => unknown)[] = [mongod.stop, () => client.close()]
  try {
    await fill(db, size)
    const services = await Promise.all([1, 2, 3].map(() => Service.start({ url, built: 'dist', settings })))
    cleanups.push(...services.map(service => () => service.end('SIGKILL')))
    const proxy = await startProxy(
      program,
      services.map(({ port }) => port)
    )
    cleanups.push(proxy.stop)
    const served = await serving(program, proxy)
    const [rolled, idled] = await Promise.all([rolling(program, proxy, services, db, size, say), idle(program)])
    return [...served, ...rolled, idled]
  } finally {
    for (const cleanUp of cleanups.reverse()) await cleanUp()
  }
}
