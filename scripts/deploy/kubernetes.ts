import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { goProgram } from '../go-program.js'
import { promised } from '../soak/promises.js'
import type { Check } from './check.js'
import { schemaLocation } from './kubernetes/schemas.js'

const run = promisify(execFile)

const manifests = join(import.meta.dirname, '..', '..', 'deploy', 'kubernetes')
/** The oldest Kubernetes that the manifests are written for, and the newest that there are schemas for. */
const versions = ['1.30.0', '1.37.0']

/** Builds everything that can be built with kustomize, and validates it with kubeconform in strict mode. */
export const kubernetes: Check = async say => {
  const kustomize = await goProgram('sigs.k8s.io/kustomize/kustomize/v5@v5.8.1', say)
  const kubeconform = await goProgram('github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0', say)
  const schemas = await schemaLocation(versions, say)
  const folder = await mkdtemp(join(tmpdir(), 'viewer-kubernetes-'))
  try {
    await cp(manifests, folder, { recursive: true })
    await writeSecrets(folder)
    const found = []
    for (const name of await buildable(folder)) {
      const built = join(folder, `${name}.yaml`)
      await run(kustomize, ['build', join(folder, name), '--output', built])
      for (const version of versions) {
        const options = ['-strict', '-summary', '-output', 'json', '-kubernetes-version', version, '-schema-location', schemas]
        const { stdout } = await run(kubeconform, [...options, built]).catch((error: { stdout: string }) => error)
        found.push(validity(name, version, stdout))
      }
    }
    return found
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What a deployment adds to a copy of the example. */
const writeSecrets = async (folder: string) => {
  const examples = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('.example'))
  for (const name of examples) await cp(join(folder, name), join(folder, name.replace(/\.example$/, '')))
}

/** The folders that kustomize can build. A component can only be built as a part of something, so each becomes a part of the base. */
const buildable = async (folder: string) => {
  const files = (await readdir(folder, { recursive: true })).filter(name => name.endsWith('kustomization.yaml'))
  return Promise.all(
    files.sort().map(async file => {
      const name = dirname(file)
      const isComponent = /^kind: Component$/m.test(await readFile(join(folder, file), 'utf8'))
      if (!isComponent) return name
      const whole = `base-with-${name}`
      await mkdir(join(folder, whole))
      await writeFile(join(folder, whole, 'kustomization.yaml'), `resources: [../base]\ncomponents: [../${name}]\n`)
      return whole
    })
  )
}

interface Report {
  resources: { name: string; kind: string; msg: string }[]
  summary: Record<'valid' | 'invalid' | 'errors' | 'skipped', number>
}

const validity = (name: string, version: string, stdout: string) => {
  const { resources, summary }: Report = JSON.parse(stdout)
  const others = summary.invalid + summary.errors + summary.skipped
  const faults = (resources ?? []).map(({ kind, name, msg }) => `\n            ${kind} ${name}: ${msg}`)
  return promised(
    `${name} is valid for Kubernetes ${version}`,
    others === 0 && summary.valid > 0,
    `${summary.valid} of ${summary.valid + others} objects${faults.join('')}`
  )
}
