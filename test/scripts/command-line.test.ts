import { resolve } from 'node:path'
import t from 'tap'
import { invocationOf } from '../../scripts/command-line.js'

t.test('a command is named as it was started', async t => {
  t.equal(invocationOf('user', resolve('scripts/run.mjs')), 'npm run user --')
  t.equal(invocationOf('user', resolve('dist/scripts/user.js')), 'node dist/scripts/user.js')
})
