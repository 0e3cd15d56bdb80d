import { demoPassword, demoUsers } from '../demo/users.js'
import { CommandSettings, settingsOrExit } from '../src/config.js'
import { fillWithDemo } from './dev/seed.js'
import { messageOf } from './failures.js'

/** Fills an empty database with the demo catalogue, to try the built service without the development tools. */
const { MONGO_URL } = settingsOrExit(CommandSettings)
try {
  await fillWithDemo(MONGO_URL, process.env.PUBLIC_URL || 'http://localhost:3000', console.log)
  console.log(`Sign in as ${demoUsers[0].email} with ${demoPassword}`)
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
