import { runInNewContext } from 'node:vm'
import t from 'tap'
import { keepSignIn } from '../../src/documentation/page.js'

t.test('a sign-in on the page is kept for the calls after it, and other answers are shown as they are', async t => {
  const configs: { url: string; plugins: (() => { statePlugins: { spec: { wrapActions: { setResponse: typeof wrap } } } })[] }[] = []
  const window = { SwaggerUIBundle: Object.assign((config: (typeof configs)[number]) => configs.push(config), { presets: 'as before' }) }
  runInNewContext(keepSignIn, { window })
  t.equal(window.SwaggerUIBundle.presets, 'as before')
  window.SwaggerUIBundle({ url: '/docs/json', plugins: [] })
  t.equal(configs[0]?.url, '/docs/json')

  const given: unknown[] = []
  const shown: unknown[] = []
  const wrap =
    (_show: (...answer: unknown[]) => void, _system: object) =>
    (..._answer: unknown[]) => {}
  const setResponse = configs[0]?.plugins[0]?.().statePlugins.spec.wrapActions.setResponse ?? wrap
  const show = setResponse((...answer) => shown.push(answer), {
    authActions: { authorizeWithPersistOption: (authorization: unknown) => given.push(JSON.parse(JSON.stringify(authorization))) }
  })
  const answers = [{ body: { data: { access_token: 'a.b.c' } } }, { body: { data: {} } }, { body: {} }, {}]
  for (const answer of answers) show('/login', 'post', answer)
  t.strictSame(given, [{ bearer: { name: 'bearer', schema: { type: 'http', scheme: 'bearer' }, value: 'a.b.c' } }])
  t.strictSame(
    shown,
    answers.map(answer => ['/login', 'post', answer])
  )
})
