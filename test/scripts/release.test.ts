import { readdir, readFile } from 'node:fs/promises'
import t from 'tap'
import { released, taggedManifests, withTag } from '../../scripts/release.js'

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

t.test('a release dates what is unreleased in the changelog', async t => {
  const changelog = '# Changelog\n\nWords.\n\n## Unreleased\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  t.equal(
    released(changelog, '0.2.0', '2026-02-03'),
    '# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.2.0 (2026-02-03)\n\n- A change\n\n## 0.1.0 (2026-01-01)\n\n- The first\n'
  )
  t.throws(() => released(changelog.replace('- A change\n\n', ''), '0.2.0', '2026-02-03'), /nothing under Unreleased/)
  t.throws(() => released('# Changelog\n', '0.2.0', '2026-02-03'), /no section Unreleased/)
  t.match(await read('CHANGELOG.md'), '\n## Unreleased\n')
})

t.test('a release names its image in the manifests', async t => {
  const { version } = JSON.parse(await read('package.json'))
  for (const path of taggedManifests) {
    const manifest = await read(path)
    t.equal(withTag(manifest, version), manifest, `${path} names the image of this version`)
    t.match(withTag(manifest, '98.7.6-rc.1'), /newTag: 98\.7\.6-rc\.1\n/)
  }
  t.throws(() => withTag('images: []\n', version), /no newTag/)

  const paths = (await readdir(new URL('../../deploy', import.meta.url), { recursive: true })).filter(path => path.endsWith('.yaml'))
  const tagged = []
  for (const path of paths) if ((await read(`deploy/${path}`)).includes('newTag')) tagged.push(`deploy/${path}`)
  t.strictSame(tagged.sort(), taggedManifests, 'no other manifest names an image')
})
