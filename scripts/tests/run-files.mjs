import './light-tap.mjs'
import t from 'tap'

/**
 * Runs test files one after the other in this process: the first test waits until all of them are loaded, and the tests of the files
 * wait behind it. Modules that load beside a test would count as memory that the test uses.
 */
export const runFiles = async urls => {
  let allLoaded
  const loading = new Promise(resolve => {
    allLoaded = resolve
  })
  process.once('exit', failUnfinished)
  t.test('all files are loaded', { buffered: false }, () => loading)
  for (const url of urls) await import(url)
  allLoaded()
  t.test('the last file', { buffered: false }, async t => {
    process.off('exit', failUnfinished)
    t.pass()
    setTimeout(failOpen, 20_000).unref()
  })
}

// What follows happens only in runs that fail, so coverage leaves it out.
/* c8 ignore start */

/** If tap ended early, the remaining files would be skipped silently. */
const failUnfinished = () => {
  console.error('Some test files of this process did not run.')
  process.exitCode = 1
}

const failOpen = () => {
  const handles = process._getActiveHandles().map(handle => [handle.constructor.name, handle.remotePort, handle.spawnargs])
  console.error('These keep the process alive after its last test:', process.getActiveResourcesInfo(), handles)
  process.exit(1)
}
/* c8 ignore stop */
