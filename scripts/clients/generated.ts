import { join } from 'node:path'
import { goProgram, installed } from '../processes.js'
import { root } from '../root.js'

/** The versions of the generators, of the dependencies of their clients, and of the linters. Those of Java and Kotlin are in their poms. */
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

/** A client that is generated from openapi.json, and how to test it. */
export interface Client {
  /** As shown in docs/clients.md. */
  commandLine: string
  /** How the generated client is compiled and run with the journey in its folder. Linters have no steps. */
  steps?: string[][]
  /** Whether it is only compiled, because there is no journey. */
  isCompiledOnly?: boolean
}

const modules = join(root, 'node_modules')
const openapiGenerator = (args: string) => `openapi-generator-cli generate -i openapi.json -o viewer -g ${args}`

const maven = [['mvn', '--quiet', '--batch-mode', 'compile', 'exec:java']]
const python = (...packages: string[]) => [
  ['python3', '-m', 'venv', 'venv'],
  ['venv/bin/pip', 'install', '--quiet', ...packages],
  ['venv/bin/python', 'journey.py']
]
const compiler = '--noEmit --strict --target es2022 --lib es2022,dom,dom.iterable --module esnext --moduleResolution bundler --types node'
const typescript = [
  [join(modules, '.bin', 'tsc'), ...compiler.split(' '), '--typeRoots', join(modules, '@types'), 'journey.ts'],
  [join(modules, '.bin', 'tsx'), 'journey.ts']
]

export const clients: Record<string, Client> = {
  java: { commandLine: openapiGenerator('java --library native'), steps: maven },
  kotlin: { commandLine: openapiGenerator('kotlin'), steps: maven },
  swift: {
    commandLine: openapiGenerator('swift6 --additional-properties=projectName=Viewer'),
    steps: [['swift', 'build', '--package-path', 'viewer']],
    isCompiledOnly: true
  },
  typescript: { commandLine: openapiGenerator('typescript-fetch'), steps: typescript },
  go: {
    commandLine: openapiGenerator(
      'go --package-name viewer --additional-properties=withGoMod=false,disallowAdditionalPropertiesIfNotPresent=false'
    ),
    steps: [['go', 'run', '.']]
  },
  python: { commandLine: openapiGenerator('python --package-name viewer'), steps: python('./viewer') },
  'hey-api': { commandLine: 'npx openapi-ts -i openapi.json -o viewer', steps: typescript },
  'oapi-codegen': {
    commandLine: 'oapi-codegen -generate types,client -package viewer -o viewer/viewer.go openapi.json',
    steps: [
      ['go', 'get', `github.com/oapi-codegen/runtime@v${versions.oapiRuntime}`],
      ['go', 'run', '.']
    ]
  },
  'openapi-python-client': {
    commandLine: 'openapi-python-client generate --path openapi.json --output-path viewer --meta none',
    steps: python(`httpx==${versions.httpx}`, `attrs==${versions.attrs}`, `python-dateutil==${versions.dateutil}`)
  },
  redocly: { commandLine: 'redocly lint openapi.json' },
  spectral: { commandLine: 'spectral lint openapi.json' }
}

const toolFolder = (name: string) => join('clients', 'tools', name)

const fromNpm = async (command: string, ...packages: string[]) => [
  'npx',
  '--yes',
  ...packages.map(name => `--package=${name}`),
  '--',
  command
]

interface Tool {
  needs: string[]
  start: () => Promise<string[]>
}

/** How to start the tools that a command line begins with. */
const tools: Record<string, Tool> = {
  'openapi-generator-cli': {
    needs: ['java', 'mvn'],
    start: async () => {
      const copy = `org.apache.maven.plugins:maven-dependency-plugin:${versions.dependencyPlugin}:copy`
      const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${versions.openapiGenerator}`
      const name = `openapi-generator-cli-${versions.openapiGenerator}`
      return ['java', '-jar', await installed(toolFolder(name), `${name}.jar`, ['mvn', '-q', '-B', copy, artifact, '-DoutputDirectory=.'])]
    }
  },
  'oapi-codegen': {
    needs: ['go'],
    start: async () => goProgram(`github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen}`)
  },
  'openapi-python-client': {
    needs: ['python3'],
    start: async () => {
      const install = ['bin/pip', 'install', '--quiet', `openapi-python-client==${versions.openapiPythonClient}`]
      const name = `openapi-python-client-${versions.openapiPythonClient}`
      return [await installed(toolFolder(name), 'bin/openapi-python-client', ['python3', '-m', 'venv', '.'], install)]
    }
  },
  'openapi-ts': {
    needs: [],
    start: () => fromNpm('openapi-ts', `@hey-api/openapi-ts@${versions.heyApi}`, `typescript@${versions.typescript}`)
  },
  redocly: { needs: [], start: () => fromNpm('redocly', `@redocly/cli@${versions.redocly}`) },
  spectral: { needs: [], start: () => fromNpm('spectral', `@stoplight/spectral-cli@${versions.spectral}`) }
}

/** The tool of a command line as typed, and the rest of the line. */
export const toolOf = (commandLine: string) => {
  const [name = '', ...args] = commandLine.replace(/^npx /, '').split(' ')
  const tool = tools[name]
  if (!tool) throw new Error(`There is no tool ${name}`)
  return { ...tool, args }
}

/** The calls that every journey must make. The service records what it serves, so a journey that misses one fails. */
const expected = [
  'POST /login 401',
  'POST /login 200',
  'POST /login/refresh 200',
  'POST /logout 200',
  'GET /contents 200',
  'GET /rail-collections 200',
  'GET /history 200',
  'POST /history 201',
  'GET /history/:watchedVideoId 200',
  'PUT /history/:watchedVideoId 400',
  'DELETE /history 200',
  'GET /continue-watching 200',
  'GET /watchlist 200',
  'POST /watchlist 201',
  'DELETE /watchlist 200',
  'GET /recommendations 200 without a token',
  'GET /recommendations 200 with a token'
]

/** What is missing from the calls that the service recorded. */
export const missingCalls = (served: Set<string>) => expected.filter(call => ![...served].some(one => one.startsWith(call)))
