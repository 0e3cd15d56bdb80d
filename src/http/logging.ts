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

/** What is kept for a full disk to have room again. */
const mostKept = 1024 * 1024

/** Standard output, a page or a moment at a time: a write for each line would cost more than many an answer. */
export const linesOut = (to: number | string = 1) => {
  const lines = destination({ dest: to, sync: true, minLength: 4096, periodicFlush: 50, maxLength: mostKept })
  let isFailing = false
  // A log that cannot be written, on a full disk for example, must not end the service. There is nowhere to say so.
  lines.on('error', () => {
    isFailing = true
  })
  lines.on('write', () => {
    isFailing = false
  })
  process.on('exit', () => {
    lines.flush()
    // It tries until it succeeds: on a full disk the process would never leave.
    if (!isFailing) lines.flushSync()
  })
  return lines
}
