import { readFile, writeFile } from 'node:fs/promises'
import { released } from './changelog.js'
import { taggedManifests, withTag } from './manifests.js'

/** Called by `npm version` after it has changed package.json. Copies the version to the changelog, the client and the manifests. */
const file = (path: string) => new URL(`../../${path}`, import.meta.url)
const read = (path: string) => readFile(file(path), 'utf8')
const readJson = async (path: string) => JSON.parse(await read(path))

const { version } = await readJson('package.json')
await writeFile(file('CHANGELOG.md'), released(await read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10)))
await writeFile(file('client/package.json'), `${JSON.stringify({ ...(await readJson('client/package.json')), version }, null, 2)}\n`)
for (const path of taggedManifests) await writeFile(file(path), withTag(await read(path), version))
