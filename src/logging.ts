import type { FastifyServerOptions } from 'fastify'

/** What must never be read in a log, wherever it stands in what is logged. */
const secrets = ['authorization', 'password', 'access_token', 'refresh_token', 'token', 'password_hash']

export const loggerOptions = (level: string): NonNullable<FastifyServerOptions['logger']> => ({
  level,
  redact: { paths: secrets.flatMap(name => [name, `*.${name}`, `*.*.${name}`]), censor: '[secret]' },
  // The address of a request without its query, and none of its headers.
  serializers: { req: ({ method, url }) => ({ method, path: url.split('?', 1)[0] }) }
})
