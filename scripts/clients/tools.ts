import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from '../cache.js'
import { goProgram } from '../go-program.js'
import { runProgram } from './run-program.js'
import { versions } from './versions.js'

type Install = (folder: string) => Promise<void>

/** A file that is installed when it is first needed. */
const installed = async (name: string, version: string, file: string, install: Install) => {
  const folder = join(cacheFolder('clients'), 'tools', `${name}-${version}`)
  const path = join(folder, file)
  if (!existsSync(path)) {
    await mkdir(folder, { recursive: true })
    await install(folder)
  }
  return path
}

const npmInstall = ['npm', 'install', '--prefix', '.', '--no-save', '--no-package-lock', '--no-audit', '--no-fund']
const fromNpm = async (name: string, version: string, command: string, ...peers: string[]) => [
  await installed(command, version, `node_modules/.bin/${command}`, cwd =>
    runProgram([...npmInstall, `${name}@${version}`, ...peers], { cwd })
  )
]

const fromMaven = async (group: string, name: string, version: string) => {
  const copy = `org.apache.maven.plugins:maven-dependency-plugin:${versions.dependencyPlugin}:copy`
  const jar = await installed(name, version, `${name}-${version}.jar`, cwd =>
    runProgram(['mvn', '-q', '-B', copy, `-Dartifact=${group}:${name}:${version}`, '-DoutputDirectory=.'], { cwd })
  )
  return ['java', '-jar', jar]
}

const fromPyPi = async (name: string, version: string) => [
  await installed(name, version, `bin/${name}`, async cwd => {
    await runProgram(['python3', '-m', 'venv', '.'], { cwd })
    await runProgram(['bin/pip', 'install', '--quiet', `${name}==${version}`], { cwd })
  })
]

type Say = (line: string) => void

/** How to start the tools that a command line begins with. */
const tools: Record<string, (say: Say) => Promise<string[]>> = {
  'openapi-generator-cli': () => fromMaven('org.openapitools', 'openapi-generator-cli', versions.openapiGenerator),
  'oapi-codegen': async say => [await goProgram(`github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen}`, say)],
  'openapi-python-client': () => fromPyPi('openapi-python-client', versions.openapiPythonClient),
  'openapi-ts': () => fromNpm('@hey-api/openapi-ts', versions.heyApi, 'openapi-ts', `typescript@${versions.typescript}`),
  redocly: () => fromNpm('@redocly/cli', versions.redocly, 'redocly'),
  spectral: () => fromNpm('@stoplight/spectral-cli', versions.spectral, 'spectral')
}

/** A command line as a person types it, with the tool as it is installed here. */
export const resolved = async (commandLine: string, say: Say) => {
  const [name = '', ...args] = commandLine.replace(/^npx /, '').split(' ')
  const tool = tools[name]
  if (!tool) throw new Error(`There is no tool ${name}`)
  return [...(await tool(say)), ...args]
}
