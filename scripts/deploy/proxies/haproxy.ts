import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insider, type Program } from './program.js'

export const haproxy: Program = {
  name: 'haproxy',
  file: 'haproxy/haproxy.cfg',
  replacements: ({ folder, http, https, servers }) => [
    ...servers.map((port, n): [string, string] => [`10.0.0.1${n + 1}:3000`, `127.0.0.1:${port}`]),
    ['bind :80\n', `bind 127.0.0.1:${http}\n`],
    ['bind :443 ', `bind 127.0.0.1:${https} `],
    ['/etc/haproxy/viewer.', `${folder}/viewer.`],
    // Only root can become another user.
    ['    user haproxy\n    group haproxy\n', ''],
    ['log /dev/log local0', 'log stdout format raw local0'],
    ['src 10.0.0.0/8', `src ${insider}`]
  ],
  prepare: async (text, { folder }) => {
    const configuration = join(folder, 'haproxy.cfg')
    await writeFile(configuration, text)
    return ['-db', '-f', configuration]
  },
  answersUnreadable: false,
  // Its own checks make HAProxy keep an idle connection for each server.
  keptIdle: 3,
  // Time for several checks.
  settleTime: 3000
}
