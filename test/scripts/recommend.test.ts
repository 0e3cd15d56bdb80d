import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { outputAt } from '../../scripts/output.js'
import { EventsReader, listsFrom } from '../../scripts/recommend/events.js'
import { costLine, learnedLine, readArguments, readLine, table } from '../../scripts/recommend/terminal.js'
import { timedLinesOf, viewersOf } from '../../scripts/spark/viewers.js'
import type { Faults } from '../../src/import/checking.js'
import { commandsIn, startCommand } from '../helpers/commands.js'
import { built } from '../helpers/run.js'
import { until } from '../helpers/until.js'
import { rankingOf, rowsOf } from '../recommendations/model/helper.js'
import { dense } from '../recommendations/model/synthetic.js'

const runCommand = commandsIn(t)

/** A folder with files, and the command run in it. */
const inFolder = (t: Test, files: NonNullable<Parameters<Test['testdir']>[0]>) => {
  const folder = t.testdir(files)
  const run = async (...args: string[]) => {
    const { status, out, err } = await runCommand('recommend', args, { cwd: folder })
    return [status, out, err] as const
  }
  return { folder, run, written: (name: string) => readFile(join(folder, name), 'utf8') }
}

const linesOf = (users = 200) => {
  const { starts, items } = dense({ users, items: 80, views: 12 })
  const lines: string[] = []
  for (let user = 0; user < users; user++)
    for (const item of items.subarray(starts[user], starts[user + 1])) lines.push(`user ${user}\ttitle ${item}\n`)
  return lines
}

const summary = (line: RegExp) =>
  new RegExp(`^${line.source}\nfitted on the last titles of \\d+ viewers.*\ntook [\\d.]+ s and at most \\d+ MB of memory\n$`)

t.test('each user gets a line with the best unseen items, the same in each run', async t => {
  const lines = linesOf()
  const { folder, run, written } = inFolder(t, { 'events.tsv': lines.join(''), 'out.tsv': 'of before' })
  const [status, out, error] = await run('--events', 'events.tsv', '--k', '5', '--out', 'out.tsv')
  t.equal(status, 0)
  t.equal(error.replaceAll(/^\d+ % .*\n/gm, ''), '', 'it prints only its progress')
  t.match(out, summary(/200 users, 80 items, [\d,]+ events/))

  const result = (await written('out.tsv')).split('\n')
  t.equal(result.pop(), '')
  t.strictSame(
    result.map(line => line.split('\t')[0]),
    Array.from({ length: 200 }, (_, user) => `user ${user}`)
  )
  const seen = new Set(lines.map(line => line.trimEnd()))
  const isWrong = (line: string) => {
    const [user, list] = line.split('\t') as [string, string]
    const items = new Set(list.split(','))
    return items.size !== 5 || [...items].some(item => seen.has(`${user}\t${item}`))
  }
  t.strictSame(result.filter(isWrong), [])
  t.notSame(result[0]?.split('\t')[1], result[1]?.split('\t')[1])

  await run('--events', 'events.tsv', '--k', '5', '--out', 'again.tsv')
  t.strictSame(await written('again.tsv'), await written('out.tsv'))
  t.strictSame((await readdir(folder)).sort(), ['again.tsv', 'events.tsv', 'out.tsv'])
})

t.test('lists are filled up with what is popular, and end where nothing is left', async t => {
  const lines = ['\ufeffb\t1', 'a\t1', 'b\t2', 'a\t2', 'c\t3', 'd\t1', 'd\t2', 'd\t3', 'b\t1']
  const { run, written } = inFolder(t, { 'events.tsv': lines.join('\r\n'), empty: '' })
  t.match(await run('--events', 'events.tsv', '--out', 'out.tsv'), [0, summary(/4 users, 3 items, 9 events, 1 of them repeated/), ''])
  t.equal(await written('out.tsv'), 'b\t3\na\t3\nc\t2,1\nd\t\n')
  t.match(await run('--events', 'empty', '--out', 'none.tsv'), [0, summary(/0 users, 0 items, 0 events/), ''])
  t.equal(await written('none.tsv'), '')
})

t.test('--evaluate prints the figures beside those of popularity', async t => {
  const { folder, run } = inFolder(t, { 'events.tsv': linesOf().join('') })
  const [status, out] = await run('--events', 'events.tsv', '--evaluate', '--k', '10')
  t.equal(status, 0)
  const figures =
    /^ +nDCG@10 +HR@10 +recall@10 +coverage +top 100 +novelty\nmodel +(0\.\d{4}) +(0\.\d{4}) +0\.\d{4} +[\d.]+ % +[\d.]+ % +[\d.]+\nfirst scores .*\npopularity +(0\.\d{4}) +(0\.\d{4}) +0\.\d{4} +[\d.]+ % +[\d.]+ % +[\d.]+\nThe events have no times, .*\n200 users, /
  const [, ndcg, hits, popularNdcg, popularHits] = (figures.exec(out) ?? []).map(Number) as [number, number, number, number, number]
  t.ok(ndcg > popularNdcg && hits > popularHits, out)
  t.strictSame(await readdir(folder), ['events.tsv'])
})

t.test('broken lines are named, and nothing is written', async t => {
  const bad = Buffer.concat([
    Buffer.from('u\ti\nno tab\n\tno user\nno item\t\r\nthree\tfields\there\nu\ta,b\nu,v\ta\n\n'),
    Buffer.from([0x75, 0x09, 0xff, 0x0a]),
    Buffer.from(`u\t${'x'.repeat(64 * 1024)}\nlast`)
  ])
  const reader = new EventsReader('events.tsv')
  reader.push(bad)
  t.strictSame((reader.end() as Faults).lines, [
    'events.tsv:2: has no tab between a user and an item',
    'events.tsv:3: has no user before the tab',
    'events.tsv:4: has no item after the tab',
    'events.tsv:5: has a time, unlike the lines before it',
    'events.tsv:6: has an id with a comma',
    'events.tsv:7: has an id with a comma',
    'events.tsv:8: has no tab between a user and an item',
    'events.tsv:9: is not valid UTF-8',
    'events.tsv:10: is longer than 64 KiB',
    'events.tsv:11: has no tab between a user and an item'
  ])
  const { folder, run } = inFolder(t, { 'events.tsv': bad, 'many.tsv': 'x\n'.repeat(250) })
  t.match(await run('--events', 'events.tsv', '--evaluate'), [1, '', /^events.tsv:2: has no tab(.*\n){10}Nothing was written.\n$/])
  const [status, , error] = await run('--events', 'many.tsv', '--out', 'out.tsv')
  t.equal(status, 1)
  t.ok(error.endsWith('many.tsv:100: has no tab between a user and an item\nand 150 more\nNothing was written.\n'))
  t.strictSame((await readdir(folder)).sort(), ['events.tsv', 'many.tsv'])
})

t.test('lines are the same however the file comes in pieces', async t => {
  const bytes = Buffer.from('käthe\tfilm 1\r\nb\tü\nkäthe\tü')
  const whole = new EventsReader('events')
  whole.push(bytes)
  const pieces = new EventsReader('events')
  for (const byte of bytes) pieces.push(Buffer.of(byte))
  t.strictSame(pieces.end(), whole.end())
  t.match(whole.end(), { users: ['käthe', 'b'], items: ['film 1', 'ü'] })

  const marked = new EventsReader('events')
  marked.push(Buffer.from('\ufeffann\tone\r\n'))
  t.match(marked.end(), { users: ['ann'], items: ['one'] }, 'a byte order mark is not part of a name')

  const long = new EventsReader('events')
  for (let piece = 0; piece < 4; piece++) long.push(Buffer.alloc(40 * 1024, 'x'))
  t.strictSame((long.end() as Faults).lines, ['events:1: is longer than 64 KiB'])

  const many = new EventsReader('events')
  many.push(Buffer.from('u\ti\n'.repeat(70_000)))
  t.match(many.end(), { events: 70_000, data: { items: Uint32Array.of(0) } }, 'with room for many events')
})

for (const [args, sentence] of [
  [[], /^--events FILE is missing\nUsage: node \S+ --events /],
  [['--events', 'x'], /^--out FILE is missing\nUsage/],
  [['--events', 'x', '--out', ''], /^--out FILE is missing\nUsage/],
  [['--events', 'x', '--out', 'y', '--evaluate'], /^--evaluate writes no file/],
  [['--events', 'x', '--out', 'y', '--k', '0'], /^--k must be a number from 1 to 999999, not "0"\nUsage/],
  [['--events', 'x', '--out', 'y', '--k', 'ten'], /^--k must be a number from 1/],
  [['--events', 'x', '--out', 'y', '--k', '1.5'], /^--k must be a number from 1/],
  [['--events', 'x', '--out', 'y', '--fast'], /^Unknown option '--fast'(.|\n)*\nUsage/],
  [['x', '--out', 'y'], /^Unexpected argument 'x'(.|\n)*\nUsage/]
] as [string[], RegExp][]) {
  t.test(`says what is wrong with ${args.join(' ') || 'nothing'}`, async t => {
    t.throws(() => readArguments(args), { message: sentence })
  })
}

t.test('20 items are wanted unless another number is given', async t => {
  t.strictSame(readArguments(['--events', 'x', '--out', 'y']), { events: 'x', k: 20, out: 'y' })
  t.strictSame(readArguments(['--events', 'x', '--evaluate', '--k', '007']), { events: 'x', k: 7, out: undefined })
})

t.test('says what is wrong with a path', async t => {
  const { folder, run } = inFolder(t, { 'events.tsv': 'u\ti\n', folder: {} })
  t.strictSame(await run(), [1, '', `--events FILE is missing\n${(await run())[2].split('\n').slice(1).join('\n')}`])
  t.strictSame(await run('--events', 'gone', '--out', 'out'), [1, '', 'gone does not exist\n'])
  t.strictSame(await run('--events', 'folder', '--out', 'out'), [1, '', 'folder is a folder\n'])
  t.match(await run('--events', 'events.tsv/x', '--evaluate'), [1, '', /ENOTDIR/])
  t.notOk(existsSync(join(folder, 'out')))

  const events = join(folder, 'events.tsv')
  await t.rejects(outputAt(folder, { events }), { message: `${folder} is a folder` })
  await t.rejects(outputAt('/dev/null', { events }), { message: '/dev/null is not a file' })
  await t.resolves(outputAt(events, { events: join(folder, 'not-there') }), 'a missing events file is reported when it is read')
  await t.rejects(outputAt(events, { events }), { message: `${events} is the events file` })
  await t.resolves(outputAt(join(folder, 'out'), {}), 'without an events file, any path may be written')
  await t.rejects(outputAt(join(folder, 'none/out'), { events }), { message: /none\/out cannot be written: ENOENT/ })
})

t.test('a link stays a link', async t => {
  const { folder, run, written } = inFolder(t, { 'events.tsv': 'u\ti\nv\tj\n', 'real.tsv': '' })
  await mkdir(join(folder, 'links'))
  await symlink('../real.tsv', join(folder, 'links/out.tsv'))
  t.match(await run('--events', 'events.tsv', '--out', 'links/out.tsv'), [0])
  t.equal(await written('real.tsv'), 'u\tj\nv\ti\n')
})

t.test('a file is there when all of it is written, under another name before', async t => {
  const folder = t.testdir({ events: '' })
  const path = join(folder, 'out')
  const write = await outputAt(path, { events: join(folder, 'events') })
  t.strictSame(await readdir(folder), ['events'])
  const lines = Array.from({ length: 100 }, (_, at) => `${String(at).padEnd(10_000)}\n`)
  await write(
    (async function* () {
      yield* lines
      t.equal((await readdir(folder)).length, 2)
      t.notOk(existsSync(path))
    })()
  )
  t.equal(await readFile(path, 'utf8'), lines.join(''))
  t.strictSame((await readdir(folder)).sort(), ['events', 'out'])
})

t.test('a list is what the model says, then what is popular', async t => {
  const ranking = rankingOf([rowsOf([[3, 1]], [], [], []).all()])
  const pastFor = (user: number) => ({ items: [[0], [3]][user] as number[] })
  const listOf = listsFrom(ranking, Uint32Array.of(2, 3, 0, 1), pastFor, 2)
  t.strictSame(listOf(0), [3, 2])
  t.strictSame(listOf(1), [2, 0])
  t.strictSame(listsFrom(ranking, Uint32Array.of(2), pastFor, 1)(0), [3])
})

t.test('the summary', async t => {
  const data = { itemCount: 1, starts: Uint32Array.of(0, 1), items: Uint32Array.of(0) }
  t.equal(readLine({ users: ['u'], items: ['i'], events: 1, data }), '1 user, 1 item, 1 event')
  t.equal(readLine({ users: ['u'], items: ['i'], events: 3000, data }), '1 user, 1 item, 3,000 events, 2,999 of them repeated')
  const quality = { ndcg: 0.3, recall: 0.25, coverage: 0.5, hits: 0.4, popular: 0.125, novelty: 5.25 }
  const popularity = { ndcg: 0.1, recall: 0.05, coverage: 0.0123, hits: 0.07, popular: 1, novelty: 2 }
  const learned = 'fitted on the last titles of 7 viewers'
  t.equal(learnedLine({ learned, quality, baseline: { ...popularity, ndcg: 0 } }), learned)
  t.equal(learnedLine({ learned, quality, baseline: popularity }), `${learned} (nDCG 3.0 times that of popularity)`)
  t.equal(
    table(5, { model: quality, popularity }),
    [
      '                nDCG@5      HR@5  recall@5  coverage   top 100   novelty',
      'model           0.3000    0.4000    0.2500    50.0 %    12.5 %       5.3',
      'popularity      0.1000    0.0700    0.0500     1.2 %   100.0 %       2.0'
    ].join('\n')
  )
  t.match(costLine(12.34), /^took 12\.3 s and at most [\d,]+ MB of memory$/)
})

t.test('Ctrl-C leaves nothing behind', async t => {
  const users = 10_000
  const folder = t.testdir({})
  const lines = Array.from({ length: users }, (_, user) => `user ${user}\ttitle ${user % 500}\nuser ${user}\ttitle ${(user * 7) % 500}\n`)
  await writeFile(join(folder, 'events.tsv'), lines.join(''))
  const args = ['--events', 'events.tsv', '--k', '300', '--out', 'out.tsv']
  const { child, end } = startCommand(t, built('scripts/recommend.js'), args, { cwd: folder })
  // The path is tested at the start, but written only later.
  const size = async (name: string) => (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0
  const written = async () => Promise.all((await readdir(folder)).filter(name => name.startsWith('.out.tsv')).map(size))
  await until(async () => (await written()).some(size => size > 0), { within: 120_000, every: 5 })
  child.kill('SIGINT')
  const { status, out, err } = await end()
  const last = err.split('\n').filter(line => !/^\d+ % /.test(line))
  t.strictSame([status, out, last.join('\n')], [130, '', 'Stopped. Nothing was written.\n'])
  t.strictSame(await readdir(folder), ['events.tsv'])
})

const end = (...lines: string[]) => {
  const reader = new EventsReader('events')
  reader.push(Buffer.from(lines.join('\n')))
  return reader.end()
}

t.test('events with times are ordered by time, those of the same time as in the file', async t => {
  t.strictSame(
    end('b\t2\t1735689601', 'a\t3\t1735689602000', 'a\t2\t2025-01-01T01:00:01+01:00', 'a\t1\t1735689600', 'a\t4\t1735689602\r'),
    {
      data: { itemCount: 4, starts: Uint32Array.of(0, 1, 5), items: Uint32Array.of(0, 2, 0, 1, 3), days: new Uint16Array(5).fill(20_089) },
      users: ['b', 'a'],
      items: ['2', '3', '1', '4'],
      events: 5,
      timed: {
        users: Uint32Array.of(1, 0, 1, 1, 1),
        items: Uint32Array.of(2, 0, 0, 1, 3),
        times: Float64Array.from([0, 1000, 1000, 2000, 2000], after => Date.UTC(2025) + after)
      }
    }
  )
})

t.test('all events have a time, or none', async t => {
  const strange = 'has a time that is neither in whole seconds or milliseconds since 1970 nor in RFC 3339'
  const timed = end('u\ti\t1', 'u\ti', 'u\ti\t', 'u\ti\t-1', 'u\ti\t1.5', 'u\ti\t2025-01-01', 'u\ti\t1234567890123456', 'u\ti\t1\t')
  t.strictSame((timed as Faults).lines, [
    'events:2: has no time, unlike the lines before it',
    ...[3, 4, 5, 6, 7].map(line => `events:${line}: ${strange}`),
    'events:8: has more than two tabs'
  ])
  t.strictSame((end('u\ti', 'u\ti\t1') as Faults).lines, ['events:2: has a time, unlike the lines before it'])
})

t.test('with times, --evaluate also prints a split by a moment in time', async t => {
  const lines = [...timedLinesOf(viewersOf({ viewers: 300, titles: 100, views: 15, group: 20 }))]
  const untimed = lines.map(line => `${line.slice(0, line.lastIndexOf('\t'))}\n`)
  const { run, written } = inFolder(t, { 'timed.tsv': lines.join(''), 'untimed.tsv': untimed.join('') })
  const [status, out] = await run('--events', 'timed.tsv', '--evaluate', '--k', '10')
  t.equal(status, 0)
  const tables =
    /^ +nDCG@10.*\nmodel .*\nfirst scores .*\npopularity .*\nTrained before 2026-0[56]-\d\dT.*Z, tested on what \d+ users watched after it:\n +nDCG@10.*\nmodel +(\S+) .*\nfirst scores .*\npopularity +(\S+) .*\nlast week +(\S+) .*\n300 users, /
  const [, model, popularity, lastWeek] = (tables.exec(out) ?? []).map(Number) as [number, number, number, number]
  t.ok(model > popularity && model > lastWeek, out)

  await run('--events', 'timed.tsv', '--out', 'timed.out')
  await run('--events', 'untimed.tsv', '--out', 'untimed.out')
  const usersIn = (lists: string) => lists.split('\n').map(line => line.split('\t')[0])
  const [withTimes, without] = [await written('timed.out'), await written('untimed.out')]
  t.strictSame(usersIn(withTimes), usersIn(without), 'there are lists with and without times')
  t.not(withTimes, without, 'with times, recent views count')
})
