import { readFile } from 'node:fs/promises'
import t from 'tap'
import { settingsDocument } from '../scripts/docs/settings.js'
import { Settings } from '../src/config.js'

const read = (path: string) => readFile(new URL(`../${path}`, import.meta.url), 'utf8')

t.test('docs/settings.md', async t => {
  t.equal(await read('docs/settings.md'), settingsDocument(), 'is the schema: run `npm run docs`')

  const rows = [...settingsDocument().matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => String(name))
  t.strictSame(rows.sort(), Object.keys(Settings.properties).sort(), 'has every setting once')
})
