import { isUnavailable } from '../src/data/driver/faults.js'

/** The message of an error. It says so if the cause is that the database does not respond. */
export const messageOf = (error: unknown) => {
  const { message } = error as Error
  return isUnavailable(error) ? `The database does not respond: ${message}` : message
}

/** Runs a command. If it fails, says why and sets the exit status. */
export const orFail = async (run: () => Promise<void>) => {
  try {
    await run()
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
