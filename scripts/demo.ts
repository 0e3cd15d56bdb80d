import { fillWithDemo } from '../demo/fill.js'
import { demoPassword, demoUsers } from '../demo/users.js'
import { CommandSettings, settingsOrExit } from '../src/config.js'
import { messageOf } from './command-line.js'

/** Fills an empty database with the demo catalogue, to try the built service without the development tools. */
const { MONGO_URL } = settingsOrExit(CommandSettings)
const { PUBLIC_URL, PORT, BASE_PATH = '' } = process.env
try {
  const origin = `${PUBLIC_URL || `http://localhost:${PORT || 3000}`}${BASE_PATH}`
  if (!(await fillWithDemo(MONGO_URL, origin, console.log)))
    throw new Error('The database has data that is not the demo’s. Nothing was written.')
  console.log(`Sign in as ${demoUsers[0].email} with ${demoPassword}`)
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
