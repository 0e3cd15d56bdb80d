import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFile(`${root}/${path}`, 'utf8')

t.test('npm run docker runs every command of the documents, each once', async t => {
  const blocks = [...(await read('docs/operations.md')).matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => String(block))
  const lines = blocks.flatMap(block => block.trim().split('\n'))
  const words = [...(await read('scripts/docker/journey.sh')).matchAll(/\(documented '?([^')]+)'?\)/g)].map(([, words]) => String(words))
  const taken = words.map(words => lines.filter(line => line.includes(words)))
  t.ok(taken.every(({ length }) => length === 1))
  const commands = lines.filter(line => line.startsWith('docker compose') || line.includes('JWT_SECRET='))
  t.ok(commands.length > 5)
  t.strictSame(taken.flat().sort(), commands.sort())
})

t.test('without a Docker Engine it ends with one sentence', async t => {
  const env = { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' }
  const { status, stdout, stderr } = await new Promise<{ status: unknown; stdout: string; stderr: string }>(resolve => {
    execFile('bash', ['scripts/docker/journey.sh'], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ status: error?.code, stdout, stderr })
    )
  })
  t.strictSame(
    { status, stdout, stderr },
    { status: 1, stdout: '', stderr: 'npm run docker needs a Docker Engine that runs, with Compose\n' }
  )
})
