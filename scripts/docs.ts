import { readFile, writeFile } from 'node:fs/promises'
import { boardDocument } from './deploy/grafana/board.js'
import { withRunCode } from './docs/clients.js'
import { settingsDocument } from './docs/settings.js'

const document = (name: string) => new URL(`../docs/${name}`, import.meta.url)

await writeFile(document('settings.md'), settingsDocument())
await writeFile(document('clients.md'), withRunCode(await readFile(document('clients.md'), 'utf8')))
await writeFile(new URL('../deploy/grafana/viewer.json', import.meta.url), boardDocument)
