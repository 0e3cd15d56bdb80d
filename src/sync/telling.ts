import { isUnavailable } from '../database/faults.js'

/** Hears whose lists may have changed. `isInDoubt` if the response to the write was lost, so that it may still take effect. */
export type OnChange = (users: number[], isInDoubt?: boolean) => void

/** Returns a function that writes to the lists of users, and tells of it even if the write fails: it may have taken effect. */
export const tellerOf =
  (onChange?: OnChange) =>
  async <T>(users: number | number[], write: () => Promise<T>): Promise<T> => {
    let isInDoubt = false
    try {
      return await write()
    } catch (error) {
      isInDoubt = isUnavailable(error)
      throw error
    } finally {
      const all = [users].flat()
      if (all.length > 0) onChange?.(all, isInDoubt)
    }
  }

/** Every write to a list of a viewer goes through one. */
export type Teller = ReturnType<typeof tellerOf>
