import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { apart } from '../helpers/apart.js'
import { testFolder } from '../helpers/folder.js'
import { built } from '../helpers/run.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

const run = async (args: string[], env = {}) => {
  const child = spawn(...apart(...args), {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  t.teardown(() => child.kill('SIGKILL'))
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { out, err, status }
}

/**
 * `npm run soak` in small numbers: a replica set of three real members, and the service as processes of their own. CI runs the other
 * scenarios beside the suite, because they take a minute.
 */
t.test('the promises for when processes die are kept', async t => {
  const scenarios = ['primary', 'kill']
  const sizes = { kills: 1, election: 0.5, viewers: 6, pause: 20, contents: 200 }
  const options = Object.entries(sizes).flatMap(([name, size]) => [`--${name}`, `${size}`])
  const soak = ['--import', 'tsx', 'scripts/soak/main.ts', ...scenarios, '--built', built('.'), '--brief', ...options]
  const { out, err, status } = await run(soak, { TMPDIR: await testFolder() })

  const lines = out.trim().split('\n')
  t.equal(lines.pop(), 'Every promise was kept.', err)
  t.strictSame(
    lines.filter(line => !line.startsWith(' ')),
    scenarios
  )
  const findings = lines.filter(line => line.startsWith(' '))
  t.ok(findings.length > 12)
  // If every election takes longer than usual, nothing can be said about short ones.
  for (const finding of findings) t.match(finding, /^ +(kept|unknown {3}interrupted requests) /, finding)
  t.equal(status, 0)
})
