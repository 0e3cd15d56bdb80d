import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Makes a self-signed certificate for localhost in the folder: viewer.crt, viewer.key, and viewer.pem with both. */
export const makeCertificate = async (folder: string) => {
  const [crt, key, pem] = ['crt', 'key', 'pem'].map(end => join(folder, `viewer.${end}`)) as [string, string, string]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  await run('openssl', [
    'req',
    '-x509',
    ...kind,
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    key,
    '-out',
    crt
  ])
  const ca = await readFile(crt, 'utf8')
  await writeFile(pem, ca + (await readFile(key, 'utf8')))
  return { ca }
}
export type Certificate = Awaited<ReturnType<typeof makeCertificate>>
