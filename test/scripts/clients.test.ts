import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { clients, missingCalls, toolOf } from '../../scripts/clients/generated.js'
import { missing, runProgram } from '../../scripts/processes.js'
import { apart } from '../helpers/apart.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const journeys = join(root, 'test/journeys')

t.test('every client has a folder, and every folder a client', async t => {
  const expected = Object.entries(clients).filter(([, { steps, isCompiledOnly }]) => steps && !isCompiledOnly)
  const folders = await readdir(journeys)
  for (const [name] of expected) t.ok(folders.includes(name), name)
  for (const folder of folders) t.ok(clients[folder], folder)
})

t.test('the calls of a journey are operations of the interface', async t => {
  const { paths } = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'))
  const all = missingCalls(new Set())
  t.ok(all.length > 15)
  for (const call of all) {
    const [method = '', path = '', status = ''] = call.split(' ')
    t.ok(paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]?.responses[status], call)
  }
  t.strictSame(missingCalls(new Set(all.slice(1))), all.slice(0, 1), 'a missing call is named')
})

t.test('every client has a tool that generates it', t => {
  for (const [name, { commandLine }] of Object.entries(clients)) t.ok(toolOf(commandLine).args.length > 0, name)
  t.throws(() => toolOf('cobol-gen openapi.json'), { message: 'There is no tool cobol-gen' })
  t.end()
})

t.test('a program that is not there is named', async t => {
  t.equal(missing(['node', 'no-such-program', 'npm']), 'no-such-program')
  t.equal(missing(['node']), undefined)
})

t.test('a program that fails shows its last lines', async t => {
  const lines = 'for (let n = 1; n <= 50; n++) console.log("line " + n); process.exitCode = 3'
  const failed: Error = await runProgram([process.execPath, '-e', lines], { cwd: root }).catch(error => error)
  t.match(failed.message, / ended with status 3:\nline 11\n[\s\S]*line 50$/)
  await runProgram([process.execPath, '-e', '0'], { cwd: root })
})

t.test('an unknown client ends the command with the names that there are', async t => {
  const { status, stderr } = await new Promise<{ status: unknown; stderr: string }>(resolve => {
    execFile(...apart('--import', 'tsx', 'scripts/clients.ts', 'cobol'), { cwd: root }, (error, _stdout, stderr) =>
      resolve({ status: error?.code, stderr })
    )
  })
  t.equal(status, 1)
  t.match(stderr, `There is no client cobol, only: ${Object.keys(clients).join(', ')}\nUsage: npm run clients`)
})
