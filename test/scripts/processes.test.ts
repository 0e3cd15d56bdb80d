import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { killAtExit, until } from '../../scripts/processes.js'

t.test('a child ends with this process, and is forgotten when it has ended before', async t => {
  const before = process.listeners('exit')
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const ended = once(child, 'exit')
  killAtExit(child)
  const [kill] = process.listeners('exit').filter(listener => !before.includes(listener)) as [() => void]
  kill()
  t.strictSame(await ended, [null, 'SIGKILL'])
  t.notOk(process.listeners('exit').includes(kill))
})

t.test('until resolves with the first answer that is there, or says what did not come in time', async t => {
  const answers = [undefined, null, false, 'here', 'too late']
  t.equal(await until('the answer', () => answers.shift(), { every: 1 }), 'here')
  await t.rejects(
    until('the answer', () => false, { within: 5, every: 1 }),
    { message: 'Timed out after 0.005 s: the answer' }
  )
  await t.rejects(
    until('the answer', () => false, { every: 1, unless: () => true }),
    { message: 'Ended too early: the answer' }
  )
})
