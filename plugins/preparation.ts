import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Steps to be done before requests that need the database are served: one after the other, each repeated until it succeeds. */
    preparations: (() => Promise<void>)[]
    /** Does `prepare` (by default `read`) before the service is ready, then calls `read` every second. If that fails, the log warns with `failure`. */
    follow: (failure: string, read: () => Promise<void>, prepare?: () => Promise<void>) => void
    /** Resolves when the app is prepared, or closes. */
    whenPrepared: Promise<void>
    isPrepared: boolean
  }
}

const interval = seconds(1)
/** In attempts. */
const warnEvery = 15

/** Prepares the app in the background: without its database, the service starts, logs a warning and keeps trying. */
export default fp(
  async app => {
    const closing = new AbortController()
    const preparations = [app.prepareDatabase]

    const prepare = async () => {
      let done = 0
      for (let attempt = 0; !closing.signal.aborted; attempt++) {
        try {
          for (const step of preparations.slice(done)) {
            await step()
            done++
          }
          app.isPrepared = true
          app.log.info('the service is ready')
          return
        } catch (err) {
          if (closing.signal.aborted) return
          if (attempt % warnEvery === 0) app.log.warn({ err }, 'the service could not be prepared, trying again every second')
          await sleep(interval, undefined, { signal: closing.signal }).catch(() => undefined)
        }
      }
    }

    app.decorate(
      'whenPrepared',
      new Promise<void>(resolve => {
        app.addHook('onReady', async () => void prepare().then(resolve))
      })
    )
    app.decorate('isPrepared', false)
    app.decorate('preparations', preparations)
    app.decorate('follow', (failure, read, prepare = read) => {
      preparations.push(async () => {
        await prepare()
        void poll(read, closing.signal, err => app.log.warn({ err }, failure))
      })
    })

    app.addHook('onClose', async () => closing.abort())
  },
  { name: 'preparation', dependencies: ['mongo'] }
)

/** Waits, runs `check` and repeats this until `signal` aborts. Reports only the first of several failures in a row. */
export const poll = async (check: () => Promise<void>, signal: AbortSignal, onFailure: (error: unknown) => void, every = interval) => {
  const nextTurn = () => sleep(every, true, { signal }).catch(() => false)
  let isFailing = false
  while (await nextTurn()) {
    try {
      await check()
      isFailing = false
    } catch (error) {
      if (!isFailing && !signal.aborted) onFailure(error)
      isFailing = true
    }
  }
}
