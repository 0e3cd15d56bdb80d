import t from 'tap'

/** What tap's own loader calls, and newer versions of Node.js do without. */
const ofTap = '`module.register()`'

/** A warning would stand on the stderr of the service too, and some versions of Node.js warn of what others accept. */
process.on('warning', ({ name, message, stack }) => {
  if (name !== 'ExperimentalWarning' && !message.startsWith(ofTap)) t.fail(`the process was warned: ${stack}`)
})
