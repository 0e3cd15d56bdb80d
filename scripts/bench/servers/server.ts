import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runProgram } from '../../processes.js'
import { root } from '../../root.js'
import { Server, serviceIn } from '../../servers.js'
import { secret, tokenOf } from './tokens.js'

const peers = join(root, 'scripts', 'bench', 'peers')

/** Limits that nobody reaches, so that requests are counted but never refused. */
const beyondTheLoad = '1000000000'

const start = (args: string[], settings: Record<string, string>, ready = '/') => Server.start({ args, settings, ready, isWatched: false })

/** The service as `npm start` runs it. */
export const startService = (MONGO_URL: string) =>
  start(
    serviceIn('dist'),
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
    // Searches become available last, once the words of all contents are indexed.
    '/contents?search=ready'
  )

/** For `paths`, the server sends bytes that it has fetched from the service at `port`. */
export const startBare = (MONGO_URL: string, port: number, paths: string[]) =>
  start(['--import', 'tsx', join(import.meta.dirname, 'bare.ts')], {
    MONGO_URL,
    READY_FROM: `http://127.0.0.1:${port}`,
    READY_PATHS: paths.join(' '),
    READY_AUTHORIZATION: `Bearer ${tokenOf(1)}`
  })

/** Installs its packages when it is first measured. */
export const startExpress = async (MONGO_URL: string) => {
  if (!existsSync(join(peers, 'node_modules')))
    await runProgram(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: peers })
  return start([join(peers, 'express-mongoose.js')], { MONGO_URL })
}
