import { writeFile } from 'node:fs/promises'
import { boardDocument } from './deploy/grafana/board.js'
import { settingsDocument } from './docs/settings.js'

const write = (path: string, text: string) => writeFile(new URL(`../${path}`, import.meta.url), text)

await write('docs/settings.md', settingsDocument())
await write('deploy/grafana/viewer.json', boardDocument)
