import type { Calls } from './calls.js'
import { mayBeTemporary, type ViewerError } from './errors.js'

export interface PlayOptions {
  /** The name of this device, if users sign in at an identity provider. Otherwise, the name from the sign-in is used. */
  device?: string
  /** Called if this device may no longer play, for example because others have taken its place. Stop the player. */
  onRefused?: (error: ViewerError) => void
}

export interface Playing {
  /** Lets another device play. Does not throw. */
  stop: () => Promise<void>
}

/** In milliseconds. The service forgets a device after twice as long. */
const usualInterval = 30_000

export const createPlaying = (calls: Pick<Calls, 'post' | 'delete'>, interval = usualInterval) => {
  let current: PlayOptions | undefined
  let timer: ReturnType<typeof setInterval> | undefined
  let last: Promise<unknown> = Promise.resolve()

  /** Sends one request at a time, so that no heartbeat arrives after the end. */
  const inTurn = (send: () => Promise<unknown>) => {
    const sent = last.then(send)
    last = sent.catch(() => undefined)
    return sent
  }
  const end = () => {
    current = undefined
    clearInterval(timer)
  }

  return {
    /** A device plays one content item. The next one replaces it. */
    play: async (content_id: number, options: PlayOptions = {}): Promise<Playing> => {
      // A new object, because the caller may pass the same one again.
      const mine = { ...options }
      const named = mine.device === undefined ? {} : { device: mine.device }
      end()
      current = mine

      const beat = () =>
        inTurn(async () => {
          if (current !== mine) return
          try {
            await calls.post('/playing', { body: { content_id, ...named } })
          } catch (error) {
            // A failure that may be temporary must not stop the player.
            if (mayBeTemporary(error) || current !== mine) return
            end()
            throw error
          }
        })

      await beat()
      if (current === mine) {
        timer = setInterval(() => void beat().catch(error => mine.onRefused?.(error)), interval)
        // In Node.js, the timer must not keep the process alive.
        ;(timer as { unref?: () => void }).unref?.()
      }
      return {
        stop: async () => {
          if (current !== mine) return
          end()
          // With keepalive, the browser sends it even if the page is closed.
          await inTurn(() => calls.delete('/playing', { params: { query: named }, keepalive: true })).catch(() => undefined)
        }
      }
    },
    close: end
  }
}
