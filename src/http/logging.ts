import type { FastifyRequest } from 'fastify'
import { destination, type SerializedError, stdSerializers } from 'pino'
import { isUnavailable } from '../database/faults.js'

/** Fields to redact, up to two levels deep. */
const secrets = [
  'authorization',
  'password',
  'new_password',
  'password_hash',
  'pin',
  'pin_hash',
  'token',
  'access_token',
  'refresh_token',
  'secret',
  'device_code',
  'user_code',
  'verification_uri_complete'
]

/** Only the type and message, for failures outside of the service, where the stack is of no use. */
export const reasonOf = (error: Error) => {
  const { type, message } = stdSerializers.err(error)
  return { type, message }
}

export const loggerOptions = (level: string) => ({
  level,
  redact: { paths: secrets.flatMap(name => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
  // Queries and headers may hold personal data.
  serializers: {
    req: ({ method, url }: FastifyRequest) => ({ method, path: url.split('?', 1)[0] }),
    err: (error: Error) => (isUnavailable(error) ? reasonOf(error) : stdSerializers.err(error)) as SerializedError
  }
})

/** Bytes of log lines to buffer while the disk is full. */
const bufferBound = 1024 * 1024

/** Writes to standard output in batches, because a system call per line would cost more than some responses. */
export const linesOut = (to: number | string = 1) => {
  const lines = destination({ dest: to, sync: true, minLength: 4096, periodicFlush: 50, maxLength: bufferBound })
  let isFailing = false
  // A failing log, for example on a full disk, must not stop the service.
  lines.on('error', () => {
    isFailing = true
  })
  lines.on('write', () => {
    isFailing = false
  })
  process.on('exit', () => {
    lines.flush()
    // flushSync retries until it succeeds, so on a full disk the process would never exit.
    if (!isFailing) lines.flushSync()
  })
  return lines
}
