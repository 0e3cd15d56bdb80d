import type { Test } from 'tap'

/**
 * A folder for the files of what a test starts, removed after the teardowns of the test.
 * tap removes a folder before any teardown that is added later, and so under a process that still writes to it.
 */
export const folderOf = (t: Test, content: NonNullable<Parameters<Test['testdir']>[0]> = {}) => {
  t.teardown(() => {})
  return t.testdir(content)
}
