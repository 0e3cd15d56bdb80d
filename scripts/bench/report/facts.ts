import { readFile } from 'node:fs/promises'
import { arch, cpus, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import type { Db } from 'mongodb'
import { root } from '../servers/server.js'

/** Versions and hardware, without anything that identifies the machine. */
export interface Facts {
  at: string
  machine: { processors: string; memoryGB: number; system: string }
  versions: Record<string, string>
}

const packages = [
  ['fastify', 'node_modules'],
  ['mongodb', 'node_modules'],
  ['express', 'scripts/bench/peers/node_modules'],
  ['mongoose', 'scripts/bench/peers/node_modules'],
  ['@nestjs/core', 'scripts/bench/peers/node_modules'],
  ['@feathersjs/feathers', 'scripts/bench/peers/node_modules']
] as const

/** Undefined for peers that are not installed. */
const versionIn = async (folder: string, name: string) => {
  const file = await readFile(join(root, folder, name, 'package.json'), 'utf8').catch(() => undefined)
  return file && String(JSON.parse(file).version)
}

export const gatherFacts = async (db: Db): Promise<Facts> => {
  const { version } = await db.admin().serverInfo()
  const found = await Promise.all(packages.map(async ([name, folder]) => [name, await versionIn(folder, name)] as const))
  const models = cpus().map(({ model }) => model.trim())
  return {
    at: new Date().toISOString(),
    machine: {
      processors: `${models.length} x ${models[0] ?? 'unknown'}`,
      memoryGB: Math.round(totalmem() / 1024 ** 3),
      system: `${platform()} ${arch()}`
    },
    versions: { node: process.versions.node, mongod: String(version), ...Object.fromEntries(found.filter(([, version]) => version)) }
  }
}
