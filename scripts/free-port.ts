import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port of this machine that is currently free. */
export const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
