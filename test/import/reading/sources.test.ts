import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { importFiles } from '../../../src/import/index.js'
import { film, importer, lines, term } from '../helper.js'

t.test('a file with an unknown name is a fault', async t => {
  const { faults } = await importer(t)
  const names =
    'users, terms, contents, rail-collections, legal, schedule, support-texts, history, watchlist, hidden, each as .ndjson or .json'
  t.strictSame(await faults({ 'films.ndjson': '', 'Contents.ndjson': '', 'contents.csv': '' }), [
    `films.ndjson: has an unknown name (expected ${names})`,
    `Contents.ndjson: has an unknown name (expected ${names})`,
    `contents.csv: has an unknown name (expected ${names})`
  ])
})

t.test('all unusable paths are named', async t => {
  const { db, all } = await importer(t)
  const folder = t.testdir({
    data: { 'contents.ndjson': lines(film(1, { id: 0 })), 'films.json': '[]', 'readme.md': '', '.hidden': '', more: {} },
    empty: {},
    'contents.json': '[]',
    good: { 'contents.ndjson': lines(film(1)) }
  })
  const at = (path: string) => join(folder, path)
  const names =
    'users, terms, contents, rail-collections, legal, schedule, support-texts, history, watchlist, hidden, each as .ndjson or .json'
  const paths = ['data', 'contents.json', 'gone', 'empty', 'contents.json/inside'].map(at).concat('/dev/null')
  await t.rejects(importFiles(db, paths), {
    message: [
      `${at('data/films.json')}: has an unknown name (expected ${names})`,
      `${at('data/more')}: is a folder within a folder`,
      `${at('data/readme.md')}: has an unknown name (expected ${names})`,
      `${at('gone')}: does not exist`,
      `${at('empty')}: contains no file to import (expected ${names})`,
      `${at('contents.json/inside')}: ENOTDIR: not a directory, stat '${at('contents.json/inside')}'`,
      '/dev/null: is neither a file nor a folder',
      `${at('contents.json')}: the import already takes contents from ${at('data/contents.ndjson')}`,
      `${at('data/contents.ndjson')}:1: id: must be an integer from 1 to 9007194959773696`
    ].join('\n')
  })
  t.strictSame(await all('contents'), [])
  t.match(
    await importFiles(db, [at('good'), at('good/contents.ndjson')]),
    { kinds: { contents: { added: 1 } } },
    'a file that is given twice is read once'
  )
})

t.test('files that change during a run', async t => {
  const { db, all } = await importer(t)
  const folder = t.testdir({ 'terms.ndjson': lines(term(1)), 'contents.ndjson': lines(film(1)) })
  const contents = join(folder, 'contents.ndjson')

  t.test('are not written', async t => {
    const onProgress = ({ step, file }: { step: string; file: string }) => {
      if (step === 'check' && file === contents) appendFileSync(contents, 'no longer checked')
    }
    await t.rejects(importFiles(db, [contents], { onProgress }), {
      message: `${contents} was changed during the import. Run the import again.`
    })
    t.strictSame(await all('contents'), [])
  })
  t.test('or vanish are a fault', async t => {
    const onProgress = () => rmSync(contents, { force: true })
    await t.rejects(importFiles(db, [folder], { onProgress }), { message: `${contents}: cannot be read (ENOENT)` })
  })
})
