import { demoPassword, demoUsers } from '../demo/users.js'
import { CommandSettings, settingsOrExit } from '../src/config.js'
import { isUnavailable } from '../src/data/driver/faults.js'
import { fillWithDemo } from './dev/seed.js'

/** Fills an empty database with the demo, to try what was built without the development tools. */
const { MONGO_URL } = settingsOrExit(CommandSettings)
try {
  await fillWithDemo(MONGO_URL, process.env.PUBLIC_URL || 'http://localhost:3000', console.log)
  console.log(`Sign in as ${demoUsers[0].email} with ${demoPassword}`)
} catch (error) {
  const { message } = error as Error
  console.error(isUnavailable(error) ? `The database does not answer: ${message}` : message)
  process.exitCode = 1
}
