import t from 'tap'

/** A warning would stand on the stderr of the service too, and some versions of Node.js warn of what others accept. */
process.on('warning', ({ name, stack }) => {
  if (name !== 'ExperimentalWarning') t.fail(`the process was warned: ${stack}`)
})
