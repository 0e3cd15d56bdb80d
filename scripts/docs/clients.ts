import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { clients } from '../clients/generated-clients.js'
import { versions } from '../clients/versions.js'

const journeys = join(import.meta.dirname, '..', 'clients', 'journeys')

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
