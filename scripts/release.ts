import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { orFail } from './command-line.js'
import { root } from './root.js'

const unreleased = '## Unreleased\n'

/** The changelog of a release: the Unreleased section becomes that of the version, and a new empty one is added. */
export const released = (changelog: string, version: string, date: string) => {
  const [before = '', after] = changelog.split(unreleased)
  if (after === undefined) throw new Error('The changelog has no section Unreleased')
  if (!/^[^#\s]/m.test(after.split(/^## /m, 1)[0] as string)) throw new Error('The changelog has nothing under Unreleased')
  return `${before}${unreleased}\n## ${version} (${date})\n${after}`
}

/** The manifests that contain the image tag of a version. */
export const taggedManifests = ['deploy/kubernetes/example/kustomization.yaml', 'deploy/kubernetes/import-example/kustomization.yaml']

/** The manifest with the tag of this version. */
export const withTag = (manifest: string, version: string) => {
  const tag = /(?<=newTag: ).+/
  if (!tag.test(manifest)) throw new Error('The manifest has no newTag')
  return manifest.replace(tag, version)
}

const file = (path: string) => join(root, path)
const read = (path: string) => readFile(file(path), 'utf8')

/** Called by `npm version` before it changes anything. Throws if the changelog has nothing to release. */
const check = async () => {
  released(await read('CHANGELOG.md'), 'none', 'none')
}

/** Called by `npm version` after it has changed package.json. Copies the version to the changelog, the client and the manifests. */
const spread = async () => {
  const { version } = JSON.parse(await read('package.json'))
  await writeFile(file('CHANGELOG.md'), released(await read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10)))
  await writeFile(
    file('client/package.json'),
    `${JSON.stringify({ ...JSON.parse(await read('client/package.json')), version }, null, 2)}\n`
  )
  for (const path of taggedManifests) await writeFile(file(path), withTag(await read(path), version))
}

const steps: Record<string, () => Promise<void>> = { check, spread }

if (process.argv[1] === import.meta.filename)
  await orFail(async () => {
    const step = steps[process.argv[2] ?? '']
    if (!step) throw new Error(`Usage: tsx scripts/release.ts ${Object.keys(steps).join('|')}`)
    await step()
  })
