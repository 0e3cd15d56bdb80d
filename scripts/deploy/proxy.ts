import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Agent, request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { freePort, killAtExit, runProgram, until } from '../processes.js'
import { root } from '../root.js'

/** Where the proxy listens and where it sends requests, on this machine. */
interface Place {
  folder: string
  http: number
  https: number
  servers: number[]
}

export interface Program {
  name: string
  /** The configuration, below deploy/. */
  file: string
  /** Parts of the configuration that are for a real deployment, and their replacements here. */
  replacements: (place: Place) => [string, string][]
  /** The arguments that run the program in the foreground. The adapted configuration is `viewer.conf` in the folder. */
  start: (folder: string) => string[]
  /** Another file, by name. */
  more?: (folder: string) => [string, string]
  /** Its log file. By default, it logs to its output. */
  log?: string
  /** Whether its own errors have the form of the service's errors even if it cannot parse the request. */
  answersUnreadable: boolean
  /** Milliseconds after which it is sure to use a restarted server again. */
  settleTime: number
}

/** The only address from which the adapted configurations allow imports. */
export const insider = '127.0.0.2'

const toServers = (servers: number[]) => servers.map((port, n): [string, string] => [`10.0.0.1${n + 1}:3000`, `127.0.0.1:${port}`])

export const nginx: Program = {
  name: 'nginx',
  file: 'nginx/viewer.conf',
  replacements: ({ folder, http, https, servers }) => [
    ...toServers(servers),
    ['listen 80;', `listen 127.0.0.1:${http};`],
    ['listen 443 ', `listen 127.0.0.1:${https} `],
    ['/etc/nginx/viewer.', `${folder}/viewer.`],
    ['/var/log/nginx/viewer.log', `${folder}/access.log`],
    ['allow 10.0.0.0/8;', `allow ${insider};`]
  ],
  start: folder => ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')],
  // What Debian's nginx.conf has around the files of conf.d.
  more: folder => [
    'nginx.conf',
    `daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(kind => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  include ${folder}/viewer.conf;
}`
  ],
  log: 'access.log',
  answersUnreadable: true,
  // fail_timeout (20 s) and one second more.
  settleTime: 21_000
}

export const haproxy: Program = {
  name: 'haproxy',
  file: 'haproxy/haproxy.cfg',
  replacements: ({ folder, http, https, servers }) => [
    ...toServers(servers),
    ['bind :80\n', `bind 127.0.0.1:${http}\n`],
    ['bind :443 ', `bind 127.0.0.1:${https} `],
    ['/etc/haproxy/viewer.', `${folder}/viewer.`],
    // Only root can become another user.
    ['    user haproxy\n    group haproxy\n', ''],
    ['log /dev/log local0', 'log stdout format raw local0'],
    ['src 10.0.0.0/8', `src ${insider}`]
  ],
  start: folder => ['-db', '-f', join(folder, 'viewer.conf')],
  answersUnreadable: false,
  // Time for several checks.
  settleTime: 3000
}

/** The configuration of deploy/ for this place. Every replacement must match, or a different file would be tested. */
const adapted = async ({ file, replacements }: Program, place: Place) => {
  const original = await readFile(join(root, 'deploy', file), 'utf8')
  return replacements(place).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`deploy/${file} does not contain ${from}`)
    return text.replaceAll(from, to)
  }, original)
}

/** Makes a self-signed certificate for localhost: viewer.crt, viewer.key, and viewer.pem with both. Resolves with the certificate. */
const makeCertificate = async (folder: string) => {
  const line = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const files = '-addext subjectAltName=DNS:localhost -keyout viewer.key -out viewer.crt'
  await runProgram(`${line} ${files}`.split(' '), { cwd: folder })
  const [crt, key] = await Promise.all(['crt', 'key'].map(end => readFile(join(folder, `viewer.${end}`), 'utf8')))
  await writeFile(join(folder, 'viewer.pem'), `${crt}${key}`)
  return crt as string
}

export interface Sent {
  method?: string
  path: string
  headers?: OutgoingHttpHeaders
  /** Sent piece by piece, with chunked encoding unless the headers have a `content-length`. */
  body?: Iterable<string | Buffer> | AsyncIterable<string | Buffer>
  /** The address of this machine that the request comes from. */
  from?: string
}

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

/** Runs the program with its adapted configuration in front of three servers. */
export const startProxy = async (program: Program, servers: number[]) => {
  const folder = await mkdtemp(join(tmpdir(), `viewer-${program.name}-`))
  // If root starts it, nginx reads and writes as another user.
  await chmod(folder, 0o755)
  const place = { folder, http: await freePort(), https: await freePort(), servers }
  const ca = await makeCertificate(folder)
  for (const [name, text] of [['viewer.conf', await adapted(program, place)], ...(program.more ? [program.more(folder)] : [])] as const)
    await writeFile(join(folder, name), text)

  const child = spawn(program.name, program.start(folder), { stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      printed += data
    })
  // If it were killed instantly, nginx would leave its worker processes behind.
  killAtExit(child, 'SIGTERM')
  const exit = once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`${program.name} is not installed: apt-get install ${program.name}`) : error
  })
  const failure = exit.then(([status]) => {
    throw new Error(`${program.name} ended with status ${status}: ${printed}`)
  })
  await Promise.race([until(program.name, () => isListening(place.https), { within: 10_000 }), failure])
  failure.catch(() => undefined)

  const agent = new Agent({ ca, servername: 'localhost', keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  return {
    ...place,
    ca,
    agent,
    open: (sent: Sent) => open(agent, place.https, sent),
    send: async (sent: Sent): Promise<Answer> => {
      const response = await open(agent, place.https, sent)
      return { status: response.statusCode ?? 0, headers: response.headers, body: await buffer(response) }
    },
    log: async () => (program.log ? readFile(join(folder, program.log), 'utf8') : printed),
    stop: async () => {
      agent.destroy()
      child.kill('SIGTERM')
      await exit
      await rm(folder, { recursive: true, force: true })
    }
  }
}
export type RunningProxy = Awaited<ReturnType<typeof startProxy>>

const isListening = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

/** Sends a request over TLS. Resolves with the response as soon as its head has arrived. */
const open = async (agent: Agent, port: number, { method = 'GET', path, headers = {}, body = [], from = '127.0.0.1' }: Sent) => {
  const options = { agent, host: '127.0.0.1', port, localAddress: from, method, path }
  const outgoing = request({ ...options, headers: { host: 'localhost', ...headers } })
  const answered = once(outgoing, 'response').catch(({ message }: Error) => {
    throw new Error(`${method} ${path}: ${message}`)
  })
  // A proxy may respond before it has the whole body. The rest is then not sent.
  let isOver = false
  const over = () => {
    isOver = true
  }
  answered.then(over, over)
  for await (const piece of body) {
    if (isOver) break
    if (!outgoing.write(piece)) await Promise.race([once(outgoing, 'drain'), answered])
  }
  outgoing.end()
  const [response] = (await answered) as [IncomingMessage]
  return response
}
