import { join } from 'node:path'
import { mavenProperties, versions } from './versions.js'

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
