import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A secret for this checkout, kept in a file so that sessions survive restarts. */
export const keptSecret = async (file: string) => {
  const known = await readFile(file, 'utf8').catch(() => undefined)
  if (known) return known
  const secret = randomBytes(48).toString('base64url')
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, secret, { mode: 0o600 })
  return secret
}
