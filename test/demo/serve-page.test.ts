import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import page from '../../demo/serve-page.js'
import { demoPassword, demoProfiles, demoUsers } from '../../demo/users.js'
import { root } from '../../scripts/root.js'
import { build } from '../helpers/app.js'

const policyOf = (headers: Record<string, unknown>) =>
  Object.fromEntries(
    String(headers['content-security-policy'])
      .split('; ')
      .map(rule => rule.split(/ (.*)/).slice(0, 2))
  )

t.test('in development there is a page to look at', async t => {
  const app = await build(t, { extend: app => app.register(page) })

  t.test('under a policy that takes nothing from elsewhere', async t => {
    const { statusCode, headers, body } = await app.inject('/')
    t.equal(statusCode, 200)
    t.equal(headers['content-type'], 'text/html; charset=utf-8')
    const policy = policyOf(headers)
    t.equal(policy['default-src'], "'none'")
    for (const [name, sources] of Object.entries(policy)) t.match(sources, /^'(none|self|script)'$/, name)
    t.notMatch(body, /<script(?![^>]*src=)|<style|\sstyle=|\son\w+=|https?:\/\//, 'it has no inline code, and names no other origin')
    t.match(body, /<noscript>/)
  })

  t.test('whose files are all there', async t => {
    const asked = new Set<string>()
    const ask = async (path: string) => {
      if (asked.has(path)) return
      asked.add(path)
      const { statusCode, headers, body } = await app.inject(path)
      t.equal(statusCode, 200, path)
      t.ok(policyOf(headers)['script-src'], path)
      const named = path === '/' ? /(?:src|href)="([\w/-]+\.(?:js|css|svg))"/g : /(?:from|import) ["'](\.[^"']+)["']/g
      for (const [, name = ''] of body.matchAll(named)) await ask(new URL(name, `http://page${path}`).pathname)
    }
    await ask('/')
    for (const path of ['/client/openapi-fetch.js', '/demo/page/qr.js']) t.ok(asked.has(path), `the package that it needs: ${path}`)
    const files = (await readdir(join(root, 'demo/page'))).filter(name => /\.(js|css|svg)$/.test(name))
    for (const name of files) t.ok(asked.has(`/demo/page/${name}`), name)
  })

  t.test('and nothing else', async t => {
    for (const path of [
      '/demo/page/none.js',
      '/demo/page/tsconfig.json',
      '/demo/page/..%2f..%2fpackage.js',
      '/client/none.js',
      '/client/README.md'
    ])
      t.equal((await app.inject(path)).statusCode, 404, path)
    t.equal((await app.inject('/%')).statusCode, 400)
  })

  t.test('that knows the users of the demo', async t => {
    const read = (name: string) => readFile(join(root, 'demo/page', name), 'utf8')
    t.match(await read('approval.js'), "'#device'", 'DEVICE_URL leads to the page')
    for (const { email } of demoUsers) t.match(await read('index.html'), email)
    t.match(await read('sign-in.js'), `'${demoPassword}'`)
    for (const { name, pin } of demoProfiles) if (pin) t.match(await read('secret.js'), `${name}’s PIN is ${pin}.`)
  })
})

t.test('it stands below a BASE_PATH', async t => {
  const app = await build(t, { settings: { BASE_PATH: '/video' }, extend: app => app.register(page) })
  const { statusCode, headers } = await app.inject('/video')
  t.strictSame([statusCode, headers.location], [302, '/video/'])
  for (const path of ['/video/', '/video/demo/page/app.js', '/video/client/index.js'])
    t.equal((await app.inject(path)).statusCode, 200, path)
})

t.test('in production there is none', async t => {
  const app = await build(t)
  for (const path of ['/', '/demo/page/app.js', '/client/index.js']) t.equal((await app.inject(path)).statusCode, 404, path)
})
