import './light-tap.mjs'
import { equal } from 'node:assert/strict'
import { open } from 'node:fs/promises'
import t from 'tap'

/** Takes the next file that no other process has taken. Only one process can create the mark of a file. */
const takenFrom = async (urls, marks) => {
  for (const [n, url] of urls.entries()) {
    const mark = await open(`${marks}/${n}`, 'wx').catch(error => equal(error.code, 'EEXIST', error))
    if (!mark) continue
    await mark.close()
    return url
  }
}

/**
 * Runs test files in this process, one after the other, until none is left. Several processes take them from the same list, so that all
 * end together. `marks` is a folder for what is taken. A file is loaded once the tests of the one before have ended, because modules
 * that load beside a test would count as memory that the test uses.
 */
export const runFiles = (urls, marks) => {
  process.once('exit', failUnfinished)
  // A test of its own, because tap ends when it has no test to run. What a file adds runs when this test ends, and before the next file.
  const runNext = () =>
    t.test('the next file', { buffered: false }, async t => {
      const url = await takenFrom(urls, marks)
      if (url) {
        await import(url)
        runNext()
      } else {
        process.off('exit', failUnfinished)
        setTimeout(failOpen, 20_000).unref()
      }
      t.pass(url)
    })
  runNext()
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
