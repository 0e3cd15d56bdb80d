import { appendFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { importFiles } from '../../src/import/index.js'
import { type Batch, batchesOf, parsed } from '../../src/import/records.js'
import type { Source } from '../../src/import/sources.js'
import { film, importer, lines, term } from './helper.js'

t.test('a file with an unknown name is a fault', async t => {
  const { faults } = await importer(t)
  const names =
    'users, terms, people, contents, rail-collections, legal, schedule, support-texts, history, watchlist, hidden, ratings, preferences, each as .ndjson or .json'
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
    'users, terms, people, contents, rail-collections, legal, schedule, support-texts, history, watchlist, hidden, ratings, preferences, each as .ndjson or .json'
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

const sourceOf = (format: Source['format'], bytes: Buffer, chunk: number): Source => ({
  name: `contents.${format}`,
  kind: 'contents',
  format,
  size: bytes.length,
  *open() {
    for (let from = 0; from < bytes.length; from += chunk) yield bytes.subarray(from, from + chunk)
  },
  state: async () => ''
})

const batches = async (format: Source['format'], text: string | Buffer, chunk = 7) => {
  const all: Batch[] = []
  for await (const batch of batchesOf(sourceOf(format, Buffer.from(text as string), chunk))) all.push(batch)
  return all
}

/** Places with values or faults. */
const read = async (format: Source['format'], text: string | Buffer, chunk = 7) =>
  (await batches(format, text, chunk)).flatMap(({ pieces }) =>
    pieces.map(piece => {
      const json = parsed(piece)
      return [piece.place, 'fault' in json ? json.fault : json.value]
    })
  )

const both = async (format: Source['format'], text: string | Buffer) => {
  const small = await read(format, text, 1)
  t.strictSame(await read(format, text, 1e6), small, 'the chunk size makes no difference')
  return small
}

t.test('lines', async t => {
  const cases: [string, string | Buffer, unknown[]][] = [
    [
      'records with and without a last line feed',
      '1\n2',
      [
        [1, 1],
        [2, 2]
      ]
    ],
    ['an empty file', '', []],
    [
      'empty lines, which count',
      '\n\n1\n  \n2\n\n',
      [
        [3, 1],
        [5, 2]
      ]
    ],
    [
      'line ends of Windows',
      '1\r\n2\r\n',
      [
        [1, 1],
        [2, 2]
      ]
    ],
    [
      'a byte order mark',
      '\ufeff1\n2',
      [
        [1, 1],
        [2, 2]
      ]
    ],
    [
      'letters of several bytes',
      '"ü"\n"漢"\n"😀"',
      [
        [1, 'ü'],
        [2, '漢'],
        [3, '😀']
      ]
    ],
    [
      'what is no UTF-8',
      Buffer.from([0x31, 0x0a, 0x22, 0xff, 0x22, 0x0a, 0x32]),
      [
        [1, 1],
        [2, 'is not valid UTF-8'],
        [3, 2]
      ]
    ],
    [
      'what is no JSON, without quoting it',
      '{"a":}\nsecret\n{"a":1\n',
      [
        [1, "Unexpected token '}'"],
        [2, "Unexpected token 's'"],
        [3, "Expected ',' or '}' after property value in JSON at position 6"]
      ]
    ],
    [
      'what V8 has no word for but the text itself',
      'undefined\n[object Object]',
      [
        [1, 'is not JSON'],
        [2, 'is not JSON']
      ]
    ],
    [
      'a record that is too long',
      `1\n"${'x'.repeat(2 * 1024 * 1024)}"\n2`,
      [
        [1, 1],
        [2, 'is longer than 2 MiB'],
        [3, 2]
      ]
    ]
  ]
  for (const [name, text, expected] of cases) {
    t.test(name, async t => t.strictSame(text.length > 1000 ? await read('ndjson', text, 65_536) : await both('ndjson', text), expected))
  }
})

t.test('elements of an array', async t => {
  const cases: [string, string | Buffer, unknown[]][] = [
    [
      'records',
      '[1,{"a":[1,2]},"x"]',
      [
        [1, 1],
        [2, { a: [1, 2] }],
        [3, 'x']
      ]
    ],
    ['an empty array', ' [ ] \n', []],
    [
      'white space and a byte order mark',
      '\ufeff \n[\n1 ,\n\t2\n]\n',
      [
        [1, 1],
        [2, 2]
      ]
    ],
    [
      'brackets, commas and quotes in texts',
      '["],[", "\\"],", "\\\\"]',
      [
        [1, '],['],
        [2, '"],'],
        [3, '\\']
      ]
    ],
    [
      'an element that is no JSON',
      '[1, x, 4]',
      [
        [1, 1],
        [2, "Unexpected token 'x'"],
        [3, 4]
      ]
    ],
    [
      'a bracket too many',
      '[}, 2]',
      [
        [1, "Unexpected token '}'"],
        [2, 2]
      ]
    ],
    [
      'missing elements',
      '[,1,,2,]',
      [
        [1, 'an element is missing before the comma or bracket'],
        [2, 1],
        [3, 'an element is missing before the comma or bracket'],
        [4, 2],
        [5, 'an element is missing before the comma or bracket']
      ]
    ],
    ['an object in its place', '{"id":1}', [[1, 'is not an array']]],
    ['an empty file', '', [[1, 'is not an array']]],
    [
      'an array without an end',
      '[1,2',
      [
        [1, 1],
        [2, 'the array is not closed']
      ]
    ],
    [
      'something after the end',
      '[1] 2',
      [
        [1, 1],
        [2, 'has more text after the end of the array']
      ]
    ],
    [
      'what is no UTF-8',
      Buffer.concat([Buffer.from('[1,"'), Buffer.from([0xff]), Buffer.from('",2]')]),
      [
        [1, 1],
        [2, 'is not valid UTF-8'],
        [3, 2]
      ]
    ]
  ]
  for (const [name, text, expected] of cases) t.test(name, async t => t.strictSame(await both('json', text), expected))
})

t.test('batches hold a thousand records, fewer where they are large, and count every byte', async t => {
  const small = await batches('ndjson', '1\n'.repeat(2500), 999)
  t.strictSame(
    small.map(({ pieces }) => pieces.length),
    [1000, 1000, 500]
  )
  t.equal(
    small.reduce((sum, { bytes }) => sum + bytes, 0),
    5000
  )
  const large = await batches('ndjson', `"${'x'.repeat(1024 * 1024)}"\n`.repeat(9), 65_536)
  t.strictSame(
    large.map(({ pieces }) => pieces.length),
    [4, 4, 1]
  )
})
