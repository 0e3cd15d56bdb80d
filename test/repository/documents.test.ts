import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { clients } from '../../scripts/clients/generated.js'
import { settingsDocument, withRunCode } from '../../scripts/docs.js'
import { Settings } from '../../src/config.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFile(join(root, path), 'utf8')

const markdownIn = async (folder: string, recursive = false) =>
  (await readdir(join(root, folder), { recursive })).filter(name => name.endsWith('.md')).map(name => join(folder, name))
const documents = (
  await Promise.all([
    markdownIn('.'),
    markdownIn('docs', true),
    markdownIn('client'),
    markdownIn('deploy', true),
    markdownIn('.github', true)
  ])
).flat()

const withoutBlocks = (text: string) => text.replace(/^ *```.*?^ *```/gms, '')

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/ /g, '-')
const anchorsOf = async (path: string) =>
  [...withoutBlocks(await read(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

t.test('every link between documents leads somewhere', async t => {
  t.ok(documents.length > 20)
  for (const path of documents) {
    for (const [, link = ''] of withoutBlocks(await read(path)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? path : normalize(join(path, '..', file))
      t.ok(existsSync(join(root, target)), `${path}: ${link}`)
      if (anchor) t.ok((await anchorsOf(target)).includes(anchor), `${path}: ${link}`)
    }
  }
})

const folders = ['src', 'plugins', 'routes', 'schemas', 'scripts', 'test', 'docs', 'demo', 'client', 'deploy', '.ci', '.github']
/** Names in documents that look like files of the repository: files that commands write, and a method. */
const otherNames = ['history.json', 'settings.json', 'reply.json']

t.test('every file that a document names is there', async t => {
  const inFolders = await Promise.all(folders.map(folder => readdir(join(root, folder), { recursive: true })))
  const names = new Set([...(await readdir(root)), ...inFolders.flat().map(path => basename(path))])
  const inFolder = new RegExp(`\`((?:${folders.join('|').replaceAll('.', '\\.')})/[\\w./-]*)\``, 'g')
  const alone = /`([\w.-]+\.(?:ts|js|mjs|json|ya?ml|md|css|py|cfg|conf)|Dockerfile|LICENSE|\.\w+rc)`/g
  for (const path of documents) {
    const text = await read(path)
    for (const [, file = ''] of text.matchAll(inFolder)) t.ok(existsSync(join(root, file)), `${path}: ${file}`)
    for (const [, name = ''] of text.matchAll(alone)) t.ok(names.has(name) || otherNames.includes(name), `${path}: ${name}`)
  }
})

t.test('every command that a document names is there', async t => {
  const { scripts } = JSON.parse(await read('package.json'))
  for (const path of documents)
    for (const [, name = ''] of (await read(path)).matchAll(/npm run ([a-z:]+)/g)) t.ok(scripts[name], `${path}: npm run ${name}`)
})

t.test('docs/settings.md', async t => {
  t.equal(await read('docs/settings.md'), settingsDocument(), 'docs/settings.md is outdated: run `npm run docs`')

  const rows = [...settingsDocument().matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => String(name))
  t.strictSame(rows.sort(), Object.keys(Settings.properties).sort(), 'every setting is listed once')
})

t.test('docs/clients.md', async t => {
  const document = await read('docs/clients.md')
  t.equal(document, withRunCode(document), 'docs/clients.md is outdated: run `npm run docs`')
  for (const [name, { steps, isCompiledOnly }] of Object.entries(clients)) {
    if (!steps) continue
    t.match(document, `<!-- command: ${name} -->`)
    if (!isCompiledOnly) t.match(document, `<!-- use: ${name}/`)
  }
})

t.test('a document that quotes a client or lines that do not exist is an error', t => {
  const quoting = (what: string) => () => withRunCode(`<!-- ${what} -->\n\`\`\`sh\n\`\`\`\n`)
  t.throws(quoting('command: cobol'), /no client cobol/)
  t.throws(quoting('use: java/pom.xml'), /no lines between/)
  t.match(quoting('aside')(), /^<!-- aside -->\n```sh\n```$/m)
  t.end()
})

t.test('every setting that a document names is there', async t => {
  for (const path of documents) {
    for (const [, name = ''] of (await read(path)).matchAll(/`([A-Z]+_[A-Z_]+)`/g))
      t.ok(name in Settings.properties || name.startsWith('MONGOMS_'), `${path}: ${name}`)
  }
})

t.test('docs/decisions', async t => {
  const index = await read('docs/decisions/README.md')
  const records = documents.filter(path => /decisions\/\d/.test(path)).sort()
  t.ok(records.length > 20)
  const rows = await Promise.all(
    records.map(async path => {
      const text = await read(path)
      const file = path.split('/').at(-1) as string
      const [, number, title, date] = /^# (\d{3}) (.+)\n\n(\d{4}-\d\d-\d\d)\n/.exec(text) ?? []
      const parts = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)
      t.strictSame(parts, ['Decision', 'Context', 'Measured', 'What would change it'], file)
      t.ok(file.startsWith(`${number}-`), file)
      const body = text.replace(/^(?:#.*|\d{4}-\d\d-\d\d)$/gm, '').trim()
      t.ok(body.split(/\s+/).length <= 300, `${file} is short`)
      return `| [${number}](${file}) | ${title} | ${date} |`
    })
  )
  t.strictSame(
    index.split('\n').filter(line => /^\| \[\d/.test(line)),
    rows,
    'the index lists every record'
  )
})
