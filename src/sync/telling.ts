import { isUnavailable } from '../database/faults.js'

/** Hears whose lists may have changed. `isInDoubt` if the response to the write was lost, so that it may still take effect. */
export type OnChange = (users: number[], isInDoubt?: boolean) => void

/**
 * Returns a function that tries to write to lists of users, and tells of it even if the attempt fails: it may have taken effect. Wrap each
 * attempt, not all of them: one whose response was lost may take effect after a later one.
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

/** Every attempt to write to a list of a viewer goes through one. Only an erasure tells nobody: it ends the streams. */
export type Teller = ReturnType<typeof tellerOf>
