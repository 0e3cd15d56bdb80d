import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insider, type Program } from './program.js'

/** What Debian's nginx.conf has around a file of conf.d. */
const around = (folder: string, configuration: string) => `
daemon off;
worker_processes 2;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 1024; }
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(kind => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  include ${configuration};
}`

export const nginx: Program = {
  name: 'nginx',
  file: 'nginx/viewer.conf',
  replacements: ({ folder, http, https, servers }) => [
    ...servers.map((port, n): [string, string] => [`10.0.0.1${n + 1}:3000`, `127.0.0.1:${port}`]),
    ['listen 80;', `listen 127.0.0.1:${http};`],
    ['listen 443 ', `listen 127.0.0.1:${https} `],
    ['/etc/nginx/viewer.', `${folder}/viewer.`],
    ['/var/log/nginx/viewer.log', `${folder}/access.log`],
    ['allow 10.0.0.0/8;', `allow ${insider};`]
  ],
  prepare: async (text, { folder }) => {
    const [configuration, main] = [join(folder, 'viewer.conf'), join(folder, 'nginx.conf')]
    await writeFile(configuration, text)
    await writeFile(main, around(folder, configuration))
    return ['-p', folder, '-e', join(folder, 'error.log'), '-c', main]
  },
  log: 'access.log',
  answersUnreadable: true,
  keptIdle: 0,
  // fail_timeout (20 s) and one second more.
  settleTime: 21_000
}
