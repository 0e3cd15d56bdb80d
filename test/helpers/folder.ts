import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Test } from 'tap'

/**
 * A folder for the files of what a test starts, removed after the teardowns of the test.
 * tap removes a folder before any teardown that is added later, and so under a process that still writes to it.
 */
export const folderOf = (t: Test, content: NonNullable<Parameters<Test['testdir']>[0]> = {}) => {
  t.teardown(() => {})
  return t.testdir(content)
}

/** The file system that Linux keeps in memory. */
const memory = '/dev/shm'
const enough = 2 * 1024 ** 3

/** The folder for databases of tests. Nearly all tests wait for writes, and a busy disk takes seconds for some of them. */
export const testFolder = async (folder = memory, needed = enough) => {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > needed ? folder : tmpdir()
}
