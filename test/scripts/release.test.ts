import { readFile } from 'node:fs/promises'
import t from 'tap'
import { released } from '../../scripts/release/changelog.js'

t.test('a release dates what is unreleased in the changelog', async t => {
  const changelog = '# Changelog\n\nWords.\n\n## Unreleased\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  t.equal(
    released(changelog, '0.2.0', '2026-02-03'),
    '# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  )
  t.throws(() => released(changelog.replace('- A change\n\n', ''), '0.2.0', '2026-02-03'), /nothing under Unreleased/)
  t.throws(() => released('# Changelog\n', '0.2.0', '2026-02-03'), /no section Unreleased/)
  t.match(await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'), '\n## Unreleased\n')
})
