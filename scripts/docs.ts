import { readFile, writeFile } from 'node:fs/promises'
import { boardDocument } from './deploy/grafana/board.js'
import { withRunCode } from './docs/clients.js'
import { settingsDocument } from './docs/settings.js'

const file = (path: string) => new URL(`../${path}`, import.meta.url)

await writeFile(file('docs/settings.md'), settingsDocument())
await writeFile(file('docs/clients.md'), withRunCode(await readFile(file('docs/clients.md'), 'utf8')))
await writeFile(file('deploy/grafana/viewer.json'), boardDocument)
