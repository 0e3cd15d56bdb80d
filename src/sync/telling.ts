import { isUnavailable } from '../database/faults.js'

/** Called with users whose lists may have changed. `isInDoubt` if the response to the write was lost, so that it may still take effect. */
export type OnChange = (users: number[], isInDoubt?: boolean) => void

/**
 * Returns a function that runs a write to lists of users, and announces it even if the write fails, because it may have taken effect. Wrap
 * each attempt, not all of them together: one whose response was lost may take effect after a later one.
 */
export const tellerOf =
  (onChange?: OnChange) =>
  async <T>(users: number | number[], attempt: () => Promise<T>): Promise<T> => {
    const told = (isInDoubt: boolean) => {
      const all = [users].flat()
      if (all.length > 0) onChange?.(all, isInDoubt)
    }
    const result = await attempt().catch(error => {
      told(isUnavailable(error))
      throw error
    })
    told(false)
    return result
  }

/** Every attempt to write to a viewer's list uses one. Only an erasure announces nothing, because it ends the streams. */
export type Teller = ReturnType<typeof tellerOf>
