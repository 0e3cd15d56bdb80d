import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, goProgram, runProgram, type Say } from '../programs.js'

/** The versions of the generators, of what their clients need, and of the linters. All of them are named here and nowhere else. */
export const versions = {
  // From Maven Central.
  openapiGenerator: '7.25.0',
  dependencyPlugin: '3.11.0',
  // From the Go module proxy.
  oapiCodegen: '2.8.2',
  oapiRuntime: '1.8.0',
  // From PyPI.
  openapiPythonClient: '0.29.1',
  httpx: '0.28.1',
  attrs: '25.4.0',
  dateutil: '2.9.0.post0',
  // From npm. Later versions of hey-api do not run on Node.js 20, and none runs with TypeScript 7.
  heyApi: '0.95.0',
  typescript: '6.0.3',
  redocly: '2.77.0',
  spectral: '6.16.3'
}

/** What the poms of the journeys refer to. */
export const mavenProperties = {
  'build-helper.version': '3.6.2',
  'exec.version': '3.6.4',
  'compiler.version': '3.15.0',
  'jackson.version': '2.21.5',
  'jackson-annotations.version': '2.21',
  'jackson-nullable.version': '0.2.11',
  'jakarta-annotation.version': '1.3.5',
  'jsr305.version': '3.0.2',
  'kotlin.version': '2.4.21',
  'moshi.version': '1.15.2',
  'okhttp.version': '5.4.0'
}

/** What is generated from openapi.json, and how it is tried. */
export interface Client {
  /** The programs that the command line needs. */
  needs: string[]
  /** As docs/clients.md shows it. */
  commandLine: string
  /** How the generated client is compiled, together with the journey that its folder holds, and run. */
  journey?: { needs: string[]; steps: string[][]; isComplete: boolean }
}

const bin = (name: string) => join(import.meta.dirname, '..', '..', 'node_modules', '.bin', name)
const types = join(import.meta.dirname, '..', '..', 'node_modules', '@types')

const openapiGenerator = (args: string) => `openapi-generator-cli generate -i openapi.json -o viewer -g ${args}`

const maven = [
  [
    'mvn',
    '--quiet',
    '--batch-mode',
    ...Object.entries(mavenProperties).map(([name, value]) => `-D${name}=${value}`),
    'compile',
    'exec:java'
  ]
]
const python = (...packages: string[]) => [
  ['python3', '-m', 'venv', 'venv'],
  ['venv/bin/pip', 'install', '--quiet', ...packages],
  ['venv/bin/python', 'journey.py']
]
const typescript = [
  [
    ...[bin('tsc'), '--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable'],
    ...['--module', 'esnext', '--moduleResolution', 'bundler', '--typeRoots', types, '--types', 'node', 'journey.ts']
  ],
  [bin('tsx'), 'journey.ts']
]

const complete = (needs: string[], steps: string[][]) => ({ needs, steps, isComplete: true })

export const clients: Record<string, Client> = {
  java: {
    needs: ['java', 'mvn'],
    commandLine: openapiGenerator('java --library native'),
    journey: complete(['mvn'], maven)
  },
  kotlin: {
    needs: ['java', 'mvn'],
    commandLine: openapiGenerator('kotlin'),
    journey: complete(['mvn'], maven)
  },
  swift: {
    needs: ['java', 'mvn'],
    commandLine: openapiGenerator('swift6 --additional-properties=projectName=Viewer'),
    journey: { needs: ['swift'], steps: [['swift', 'build', '--package-path', 'viewer']], isComplete: false }
  },
  typescript: {
    needs: ['java', 'mvn'],
    commandLine: openapiGenerator('typescript-fetch'),
    journey: complete([], typescript)
  },
  go: {
    needs: ['java', 'mvn'],
    commandLine: openapiGenerator(
      'go --package-name viewer --additional-properties=withGoMod=false,disallowAdditionalPropertiesIfNotPresent=false'
    ),
    journey: complete(['go'], [['go', 'run', '.']])
  },
  python: {
    needs: ['java', 'mvn'],
    commandLine: openapiGenerator('python --package-name viewer'),
    journey: complete(['python3'], python('./viewer'))
  },
  'hey-api': {
    needs: [],
    commandLine: 'npx openapi-ts -i openapi.json -o viewer',
    journey: complete([], typescript)
  },
  'oapi-codegen': {
    needs: ['go'],
    commandLine: 'oapi-codegen -generate types,client -package viewer -o viewer/viewer.go openapi.json',
    journey: complete(
      ['go'],
      [
        ['go', 'get', `github.com/oapi-codegen/runtime@v${versions.oapiRuntime}`],
        ['go', 'run', '.']
      ]
    )
  },
  'openapi-python-client': {
    needs: ['python3'],
    commandLine: 'openapi-python-client generate --path openapi.json --output-path viewer --meta none',
    journey: complete(['python3'], python(`httpx==${versions.httpx}`, `attrs==${versions.attrs}`, `python-dateutil==${versions.dateutil}`))
  },
  redocly: { needs: [], commandLine: 'redocly lint openapi.json' },
  spectral: { needs: [], commandLine: 'spectral lint openapi.json' }
}

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

/** What every journey calls. The service records what it served, so a journey that leaves something out fails. */
const expected = [
  'POST /login 401',
  'POST /login 200',
  'POST /login/refresh 200',
  'POST /logout 200',
  'GET /contents 200',
  'GET /contents/:contentId 200',
  'GET /contents/:contentId 404',
  'GET /terms 200',
  'GET /rail-collections 200',
  'GET /schedule 200',
  'GET /history 401',
  'GET /history 200',
  'POST /history 201',
  'GET /history/:watchedVideoId 200',
  'PUT /history/:watchedVideoId 200',
  'PUT /history/:watchedVideoId 400',
  'DELETE /history/:watchedVideoId 200',
  'DELETE /history 200',
  'GET /continue-watching 200',
  'GET /watchlist 200',
  'POST /watchlist 201',
  'DELETE /watchlist/:elementId 200',
  'DELETE /watchlist 200',
  'GET /recommendations 200 without a token',
  'GET /recommendations 200 with a token'
]

/** What is missing from the calls that the service recorded. */
export const missingCalls = (served: Set<string>) => expected.filter(call => ![...served].some(one => one.startsWith(call)))
