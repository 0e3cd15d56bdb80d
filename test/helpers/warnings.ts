import t from 'tap'

/** Called by tap's own loader, and deprecated in newer versions of Node.js. */
const ofTap = '`module.register()`'

/** Warnings fail the tests: operators would see them on stderr, and each version of Node.js has its own. */
process.on('warning', ({ name, message, stack }) => {
  if (name !== 'ExperimentalWarning' && !message.startsWith(ofTap)) t.fail(`the process was warned: ${stack}`)
})
