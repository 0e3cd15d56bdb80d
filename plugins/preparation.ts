import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { isUnavailable } from '../src/database/faults.js'
import { seconds } from '../src/time.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Steps to take before requests that need the database are served: one after the other, each retried until it succeeds. */
    preparations: (() => Promise<void>)[]
    /** Adds `first` to the preparations, then calls `read` periodically. Logs `failure` if that fails. */
    follow: (failure: string, read: () => Promise<void>, options?: Following) => void
    /** Aborts when the app closes. */
    closing: AbortSignal
    /** Work that `closing` ends. The app waits for its end when it closes. */
    inBackground: (work: Promise<void>) => void
    /** Whether requests that need the database are served. */
    isPrepared: boolean
    /** Whether load balancers may send requests: the warm-ups are also done. */
    isReady: boolean
    /** Resolves when the app is ready, or closes. */
    whenReady: Promise<void>
  }
}

interface Following {
  /** By default `read`. */
  first?: () => Promise<void>
  /** Whether `first` is a warm-up rather than a preparation: requests are already served, and only /ready waits for it. */
  isWarmUp?: boolean
  /** By default a second. */
  every?: number
}

const interval = seconds(1)
/** In attempts. */
const warnEvery = 15

/** Prepares the app in the background: without its database, the service starts, logs a warning and keeps trying. */
export default fp(
  async app => {
    const closing = new AbortController()
    // Everything in the background listens to it. Node warns of more than ten.
    setMaxListeners(0, closing.signal)
    const preparations = [app.prepareDatabase]
    const warmUps: (() => Promise<void>)[] = []
    const serve = async () => {
      app.isPrepared = true
    }

    // Leaves out the user and password of the URL.
    const { srvHost, hosts } = app.mongoClient.options
    const servers = srvHost ?? hosts.join(', ')
    const failureOf = (error: Error) =>
      isUnavailable(error)
        ? `MongoDB at ${servers} does not respond, trying again every second`
        : `the service could not be prepared, trying again every second: ${error.message}`

    const prepareAll = async () => {
      const steps = [...preparations, serve, ...warmUps]
      let done = 0
      for (let attempt = 0; !closing.signal.aborted; attempt++) {
        try {
          for (const step of steps.slice(done)) {
            await step()
            done++
          }
          app.isReady = true
          app.log.info('the service is ready')
          return
        } catch (err) {
          if (!closing.signal.aborted && attempt % warnEvery === 0) app.log.warn({ err }, failureOf(err as Error))
          await sleep(interval, undefined, { signal: closing.signal }).catch(() => undefined)
        }
      }
    }

    app.decorate(
      'whenReady',
      new Promise<void>(resolve => {
        app.addHook('onReady', async () => void prepareAll().then(resolve))
      })
    )
    app.decorate('closing', closing.signal)
    app.decorate('isPrepared', false)
    app.decorate('isReady', false)
    app.decorate('preparations', preparations)
    app.decorate('follow', (failure, read, { first = read, isWarmUp = false, every = interval } = {}) => {
      const steps = isWarmUp ? warmUps : preparations
      steps.push(async () => {
        await first()
        void poll(read, closing.signal, err => app.log.warn({ err }, failure), every)
      })
    })

    const background: Promise<void>[] = []
    app.decorate('inBackground', work => background.push(work))
    app.addHook('onClose', async () => {
      closing.abort()
      await Promise.all(background)
    })
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
