import { readFile } from 'node:fs/promises'
import t from 'tap'
import { released } from '../scripts/release/changelog.js'
import { built } from './built.js'
import { settingsFor } from './helper.js'

const readJson = async (path: string) => JSON.parse(await readFile(new URL(`../${path}`, import.meta.url), 'utf8'))

t.test('package.json alone says the version', async t => {
  const { version } = await readJson('package.json')
  t.match(version, /^\d+\.\d+\.\d+$/)
  t.equal((await readJson('openapi.json')).info.version, version)
  t.equal((await readJson('client/package.json')).version, version, 'the client has the version of the interface that it calls')

  t.test('and what is compiled knows it', async t => {
    const { buildApp } = await import(built('src/app.js'))
    const app = await buildApp(settingsFor('mongodb://127.0.0.1:1/none'), { logger: false })
    t.teardown(() => app.close())
    await app.ready()
    t.equal(app.swagger().info.version, version)
  })
})

t.test('a release dates what is unreleased in the changelog', async t => {
  const changelog = '# Changelog\n\nWords.\n\n## Unreleased\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  t.equal(
    released(changelog, '0.2.0', '2026-02-03'),
    '# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  )
  t.throws(() => released(changelog.replace('- A change\n\n', ''), '0.2.0', '2026-02-03'), /nothing under Unreleased/)
  t.throws(() => released('# Changelog\n', '0.2.0', '2026-02-03'), /no section Unreleased/)
  t.match(await readFile(new URL('../CHANGELOG.md', import.meta.url), 'utf8'), '\n## Unreleased\n')
})
