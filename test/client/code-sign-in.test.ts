import t from 'tap'
import { createCalls, createTransport, type Fetch } from '../../client/calls.js'
import { createClock } from '../../client/clock.js'
import { createCodeSignIn, pause, type ShownCode } from '../../client/code-sign-in.js'
import { addUser, password } from '../helpers/app.js'
import { databaseOf } from '../helpers/database.js'
import { clientOf, createStore, errorOf, kindOf, serve } from './helper.js'

t.test('a device signs in with a code', async t => {
  const { app, baseUrl } = await serve(t)
  const codes = databaseOf(app).collection('device_codes')
  const { email, _id: id } = await addUser(app, 'ada@example.com', 'Ada')
  const { client: phone } = clientOf(t, baseUrl)
  await phone.signIn(email, password)

  /** A device whose waits take no time. During the n-th, the n-th of `turns` happens. */
  const deviceOf = (turns: ((code: ShownCode) => Promise<unknown>)[], fetch: Fetch = globalThis.fetch) => {
    const waits: number[] = []
    let shown: ShownCode | undefined
    const wait = async (seconds: number) => {
      waits.push(seconds)
      await codes.updateMany({ asked_at: { $exists: true } }, [{ $set: { asked_at: { $subtract: ['$asked_at', seconds * 1000] } } }])
      await turns[waits.length - 1]?.(shown as ShownCode)
    }
    const signIn = createCodeSignIn(createCalls(baseUrl, createTransport(fetch, 15_000, createClock())), wait)
    const onCode = (code: ShownCode) => {
      shown = code
    }
    return { waits, signIn: (signal?: AbortSignal) => signIn({ device: 'TV', onCode, ...(signal && { signal }) }), shown: () => shown }
  }
  const nothing = async () => {}
  const approve = ({ user_code }: ShownCode) => phone.approveDevice(user_code)

  t.test('which it shows, and asks at the interval until it is approved', async t => {
    const { signIn, waits, shown } = deviceOf([nothing, nothing, approve])
    t.match(await signIn(), { access_token: String, refresh_token: String, user: { id, name: 'Ada' } })
    t.strictSame(waits, [5, 5, 5])
    const complete = `https://app.example.com/tv?user_code=${shown()?.user_code}`
    t.match(shown(), { verification_uri: 'https://app.example.com/tv', verification_uri_complete: complete, expires_in: 600 })
    t.notOk('device_code' in (shown() ?? {}), 'the device code is not shown')
  })

  t.test('more slowly where the service says so', async t => {
    const isEarly = () => codes.updateMany({}, [{ $set: { asked_at: '$$NOW' } }])
    const { signIn, waits } = deviceOf([nothing, isEarly, nothing, isEarly, approve])
    await signIn()
    t.strictSame(waits, [5, 5, 10, 10, 15])
  })

  t.test('unless it is denied', async t => {
    const { signIn, waits } = deviceOf([nothing, ({ user_code }) => phone.denyDevice(user_code)])
    t.match(await errorOf(signIn()), { kind: 'code-denied', advice: /./, cause: { reason: 'access_denied' } })
    t.equal(waits.length, 2)
  })

  t.test('until it expires', async t => {
    const { signIn, waits } = deviceOf([nothing, () => codes.updateMany({}, { $set: { expires_at: new Date(0) } })])
    t.match(await errorOf(signIn()), { kind: 'code-expired', advice: /new code/ })
    t.equal(waits.length, 2)
  })

  t.test('less and less often without an answer, and until it expires by its own clock', async t => {
    let answers: (Response | undefined)[] = []
    const away: Fetch = async request => {
      if (!request.url.endsWith('/token') || answers.length === 0) return fetch(request)
      const answer = answers.shift()
      if (!answer) throw new TypeError('no connection')
      return answer
    }
    answers = [undefined, undefined, undefined, undefined, undefined, new Response(null, { status: 503, headers: { 'retry-after': '7' } })]
    const { signIn, waits } = deviceOf([...Array.from({ length: 6 }, () => nothing), nothing, approve], away)
    t.match(await signIn(), { user: { id } })
    t.strictSame(waits, [5, 10, 20, 40, 60, 60, 7, 5])

    const short: Fetch = async request => {
      const response = await away(request)
      return request.url.endsWith('/token') ? response : new Response((await response.text()).replace('"expires_in":600', '"expires_in":0'))
    }
    answers = [undefined]
    t.equal(await kindOf(deviceOf([], short).signIn()), 'code-expired')
  })

  t.test('or not at all where the service refuses', async t => {
    const strange: Fetch = async request =>
      request.url.endsWith('/token') ? new Response('{"code":400}', { status: 400 }) : fetch(request)
    t.match(await errorOf(deviceOf([], strange).signIn()), { kind: 'refused', status: 400 })
  })

  t.test('by the client, which then has a session', async t => {
    const store = createStore()
    const atOnce: Fetch = async request => {
      const response = await fetch(request)
      return request.url.endsWith('/login/device')
        ? new Response((await response.text()).replace('"interval":5', '"interval":0'))
        : response
    }
    const { client: tv } = clientOf(t, baseUrl, { store, fetch: atOnce })
    const approved = async ({ user_code }: ShownCode) => {
      t.match(await phone.deviceRequest(user_code.toLowerCase()), { device: null, created_at: String })
      await phone.approveDevice(user_code)
      t.equal(await kindOf(phone.deviceRequest(user_code)), 'refused', 'the code is already decided')
    }
    t.match(await tv.signInWithCode({ onCode: approved }), { id, name: 'Ada' })
    t.equal((await tv.get('/history')).meta.total_count, 0)
    t.match(await store.load('session'), { user: { id } })
  })

  t.test('until the app aborts it', async t => {
    const { client: tv, count } = clientOf(t, baseUrl)
    const reason = new Error('The user has left the screen')
    const leaving = new AbortController()
    const signingIn = tv.signInWithCode({ onCode: () => setImmediate(() => leaving.abort(reason)) as never, signal: leaving.signal })
    await t.rejects(signingIn, reason)
    t.equal(count('POST /login/device/token'), 0)

    const asking = new AbortController()
    const enough: Fetch = request => {
      if (request.url.endsWith('/token')) asking.abort(reason)
      return fetch(request)
    }
    const { signal } = asking
    await t.rejects(deviceOf([nothing], enough).signIn(signal), reason, 'aborting works while the device asks')
    await t.rejects(tv.signInWithCode({ onCode: () => void t.fail('no code is shown'), signal: AbortSignal.abort(reason) }), reason)
    await t.rejects(tv.signInWithCode({ onCode: () => Promise.reject(reason) }), reason, 'an error of onCode ends the sign-in')
  })
})

t.test('a pause ends before it begins if the signal has aborted', async t => {
  const reason = new Error('enough')
  await t.rejects(pause(60, AbortSignal.abort(reason)), reason)
  t.equal(await pause(0, new AbortController().signal), undefined, 'otherwise the pause ends after its time')
})
