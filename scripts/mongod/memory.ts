import { statfs } from 'node:fs/promises'

/** Where Linux keeps files in memory. */
const memory = '/dev/shm'
const enough = 2 * 1024 ** 3

/** The environment in which a database of tests has its files: nearly all of them wait for writes, and a busy disk takes seconds for some. */
export const inMemory = async (folder = memory, needed = enough): Promise<NodeJS.ProcessEnv> => {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > needed ? { TMPDIR: folder } : {}
}
