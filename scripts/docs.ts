import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TSchema } from '@sinclair/typebox'
import { Settings, settingGroups } from '../src/config.js'
import { clients, versions } from './clients/generated.js'
import { orFail } from './command-line.js'
import { root } from './root.js'

const introduction = `# Settings

<!-- Written by \`npm run docs\` from src/config.ts. Change the descriptions there. -->

For operators, who configure the service. The tables list all of its environment variables, by subject, with their defaults and rules.

A setting may also be a line of the file \`.env\` in the working directory. Variables take precedence over the file.
An empty value counts as not set. If a value is invalid, the service does not start, and a message names the setting and its rule.

The service needs \`MONGO_URL\`, and exactly one of \`JWT_SECRET\`, \`JWT_JWKS_URL\` and \`JWT_PUBLIC_KEY\`.
The commands \`import\`, \`user\`, \`restore\`, \`audit\`, \`webhook\`, \`feed\`, \`train\` and \`demo\` require only \`MONGO_URL\`. \`npm run dev\` requires nothing: it generates a secret and, without \`MONGO_URL\`, starts a database. It keeps both in \`.data/\`.`

const defaultOf = ({ default: fallback }: TSchema, name: string) => {
  if (fallback === undefined) return (Settings.required as string[]).includes(name) ? 'required' : ''
  return fallback === '' ? '' : `\`${fallback}\``
}

const row = (setting: TSchema, name: string) => `| \`${name}\` | ${defaultOf(setting, name)} | ${setting.description} |`

const table = ([group, settings]: [string, Record<string, TSchema>]) =>
  [
    `## ${group}`,
    '',
    '| setting | default | meaning |',
    '|---|---|---|',
    ...Object.entries(settings).map(([name, setting]) => row(setting, name))
  ].join('\n')

/** The text of docs/settings.md, generated from the schema of the settings. */
export const settingsDocument = () => `${[introduction, ...Object.entries(settingGroups).map(table)].join('\n\n')}\n`

const journeys = join(root, 'test', 'journeys')

const withoutIndentation = (lines: string) => {
  const indentation = lines.slice(0, lines.search(/\S/))
  return lines.trimEnd().replaceAll(new RegExp(`^${indentation}`, 'gm'), '')
}

/** The marked lines of a journey, with the indentation of spaces that documents have. */
const markedLines = (file: string) => {
  const text = readFileSync(join(journeys, file), 'utf8')
  const parts = [...text.matchAll(/^[^\n]*docs: begin\n(.*?)^[^\n]*docs: end$/gms)].map(([, lines = '']) => withoutIndentation(lines))
  if (parts.length === 0) throw new Error(`${file} has no lines between "docs: begin" and "docs: end"`)
  return parts.join('\n\n').replaceAll('\t', '    ')
}

const commandLine = (name: string) => {
  const client = clients[name]
  if (!client) throw new Error(`There is no client ${name}`)
  return client.commandLine
}

const installation = () => {
  const jar = `openapi-generator-cli:${versions.openapiGenerator}`
  return [
    `mvn dependency:copy -Dartifact=org.openapitools:${jar} -DoutputDirectory=.`,
    `alias openapi-generator-cli='java -jar ${jar.replace(':', '-')}.jar'`,
    `go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${versions.oapiCodegen}`,
    `pip install openapi-python-client==${versions.openapiPythonClient}`,
    `npm install --save-dev @hey-api/openapi-ts@${versions.heyApi} typescript@${versions.typescript}`
  ].join('\n')
}

const contents: Record<string, (argument: string) => string> = { command: commandLine, use: markedLines, installation }

/** The text with its marked code blocks as `npm run clients` runs them: `<!-- command: NAME -->`, `<!-- use: FILE -->`. */
export const withRunCode = (text: string) =>
  text.replaceAll(/^(<!-- (\w+)(?:: (\S+))? -->\n```\w+\n).*?(^```$)/gms, (block, begin, kind, argument, end) => {
    const content = contents[kind]
    return content ? `${begin}${content(argument)}\n${end}` : block
  })

const file = (path: string) => join(root, path)

const writeDocuments = async () => {
  await writeFile(file('docs/settings.md'), settingsDocument())
  await writeFile(file('docs/clients.md'), withRunCode(await readFile(file('docs/clients.md'), 'utf8')))
}

if (process.argv[1] === import.meta.filename) await orFail(writeDocuments)
