import { join } from 'node:path'
import { startFlags } from '../../processes.js'
import { installPeers } from '../peers/install.js'
import { startServer } from './server.js'
import { secret, tokenOf } from './tokens.js'

/** Limits that nobody reaches, so that requests are counted but never refused. */
const beyondTheLoad = '1000000000'

const here = import.meta.dirname

/** The service as `npm start` runs it. */
export const startService = (MONGO_URL: string) =>
  startServer(
    [...startFlags, join('dist', 'src', 'server.js')],
    {
      MONGO_URL,
      JWT_SECRET: secret,
      LOG_LEVEL: 'info',
      RATE_LIMIT: beyondTheLoad,
      RATE_LIMIT_ADDRESS: beyondTheLoad,
      // All callers have the same address.
      LOGIN_LIMIT: '0',
      MAX_STREAMS: '2',
      // The model is already trained, and training would disturb the measurement.
      TRAIN: 'off',
      DRAIN_DELAY: '0'
    },
    '/ready'
  )

/** For `paths`, it sends bytes that it fetches from the service at `port`. */
export const startBare = (MONGO_URL: string, port: number, paths: string[]) =>
  startServer(
    ['--import', 'tsx', join(here, 'bare.ts')],
    {
      MONGO_URL,
      READY_FROM: `http://127.0.0.1:${port}`,
      READY_PATHS: paths.join(' '),
      READY_AUTHORIZATION: `Bearer ${tokenOf(1)}`
    },
    '/'
  )

const peerIn = (file: string) => (MONGO_URL: string, say: (line: string) => void) => {
  installPeers(say)
  return startServer([join(here, '..', 'peers', file)], { MONGO_URL }, '/')
}
export const startExpress = peerIn('express-mongoose.js')
export const startNest = peerIn('nest.js')
export const startFeathers = peerIn('feathers.js')
