import { once } from 'node:events'
import { createServer } from 'node:net'

/** Whether a port of this machine is free. */
export const isFree = async (port: number, host: string) => {
  const server = createServer().listen(port, host)
  const listening = once(server, 'listening').then(
    () => true,
    () => false
  )
  const free = await listening
  server.close()
  return free
}
