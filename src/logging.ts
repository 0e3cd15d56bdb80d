import type { FastifyRequest } from 'fastify'
import { destination } from 'pino'

/** What must never be read in a log, wherever it stands in what is logged. */
const secrets = ['authorization', 'password', 'access_token', 'refresh_token', 'token', 'password_hash']

export const loggerOptions = (level: string) => ({
  level,
  redact: { paths: secrets.flatMap(name => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
  // The address of a request without its query, and none of its headers.
  serializers: { req: ({ method, url }: FastifyRequest) => ({ method, path: url.split('?', 1)[0] }) }
})

/** Standard output, a page or a moment at a time: a write for each line would cost more than many an answer. */
export const linesOut = (to: number | string = 1) => {
  const lines = destination({ dest: to, sync: true, minLength: 4096, periodicFlush: 50 })
  process.on('exit', () => lines.flushSync())
  return lines
}
