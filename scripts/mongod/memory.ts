import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** The file system that Linux keeps in memory. */
const memory = '/dev/shm'
const enough = 2 * 1024 ** 3

/** The folder for databases of tests. Nearly all tests wait for writes, and a busy disk takes seconds for some of them. */
export const testFolder = async (folder = memory, needed = enough) => {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > needed ? folder : tmpdir()
}
