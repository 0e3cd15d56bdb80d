import type { TSchema } from '@sinclair/typebox'
import { Settings, settingGroups } from '../../src/config.js'

const introduction = `# Settings

<!-- Written by \`npm run docs\` from src/config.ts. Change the descriptions there. -->

Settings are environment variables, or lines of a file \`.env\` in the working directory. Variables take precedence over the file.
An empty value counts as not set. If a value is invalid, the service does not start, and a message names the setting and its rule.

The service needs \`MONGO_URL\`, and exactly one of \`JWT_SECRET\`, \`JWT_JWKS_URL\` and \`JWT_PUBLIC_KEY\`.
The commands \`import\`, \`user\`, \`restore\`, \`train\` and \`demo\` require only \`MONGO_URL\`. \`npm run dev\` requires nothing: it starts a database, generates a secret, and keeps both in \`.data/\`.`

const defaultOf = ({ default: fallback }: TSchema, name: string) => {
  if (fallback === undefined) return (Settings.required as string[]).includes(name) ? 'required' : ''
  return fallback === '' ? '' : `\`${fallback}\``
}

const row = (setting: TSchema, name: string) => `| \`${name}\` | ${defaultOf(setting, name)} | ${setting.description} |`

const table = ([group, settings]: [string, Record<string, TSchema>]) =>
  [
    `## ${group}`,
    '',
    '| setting | default | |',
    '|---|---|---|',
    ...Object.entries(settings).map(([name, setting]) => row(setting, name))
  ].join('\n')

/** The text of docs/settings.md, generated from the schema of the settings. */
export const settingsDocument = () => `${[introduction, ...Object.entries(settingGroups).map(table)].join('\n\n')}\n`
