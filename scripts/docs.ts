import { writeFile } from 'node:fs/promises'
import { settingsDocument } from './docs/settings.js'

await writeFile(new URL('../docs/settings.md', import.meta.url), settingsDocument())
