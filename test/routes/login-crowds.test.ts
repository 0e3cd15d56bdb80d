import { MongoClient } from 'mongodb'
import t from 'tap'
import { hashPassword } from '../../src/identity/passwords.js'
import { type App, addUser as add, build, password } from '../helpers/app.js'
import { databaseUrl } from '../helpers/database.js'

/** A user whose hash takes as long to check as one that the service makes. */
const addUser = (app: App) => add(app, undefined, undefined, hashPassword(password))

const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i))
const statusesOf = (answers: { statusCode: number }[]) => answers.map(({ statusCode }) => statusCode)

const logIn = (app: App, email: string, address: string, given = password) =>
  app.inject({ method: 'POST', url: '/login', remoteAddress: address, payload: { email, password: given } })

/** How many of a crowd have signed in when another caller, who comes later, gets an answer, and the status of that. */
const besideCrowd = async (crowd: Promise<{ statusCode: number }>[], other: () => ReturnType<typeof logIn>) => {
  let served = 0
  const answers = crowd.map(async login => {
    const answer = await login
    if (answer.statusCode === 200) served++
    return answer
  })
  const { statusCode } = await other()
  const before = served
  return { statusCode, before, crowd: statusesOf(await Promise.all(answers)) }
}

t.test('a crowd of right passwords', async t => {
  const app = await build(t)
  const [greedy, victim] = [await addUser(app), await addUser(app)]
  const size = 100

  const isHardlyDelayed = ({ statusCode, before, crowd }: Awaited<ReturnType<typeof besideCrowd>>) => {
    t.equal(statusCode, 200)
    t.ok(before <= 8, `${before} of the crowd were served before`)
    t.ok(
      crowd.every(status => status === 200 || status === 429),
      [...new Set(crowd)].join()
    )
    t.ok(crowd.includes(429), 'the crowd itself is limited')
  }

  t.test('from one address for one account keeps nobody waiting', async () => {
    const crowd = times(size, () => logIn(app, greedy.email, '192.0.2.66'))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })

  t.test('from one address for many accounts neither', async () => {
    const users = await Promise.all(times(size, () => addUser(app)))
    const crowd = users.map(({ email }) => logIn(app, email, '192.0.2.66'))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })

  t.test('from many addresses for one account neither', async () => {
    const crowd = times(size, i => logIn(app, greedy.email, `198.51.100.${i}`))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })

  t.test('from one address does not keep the owner of the account out who is elsewhere', async () => {
    const crowd = times(size, () => logIn(app, victim.email, '192.0.2.66'))
    isHardlyDelayed(await besideCrowd(crowd, () => logIn(app, victim.email, '192.0.2.1')))
  })
})

t.test('people behind one address all sign in at once, where nobody else waits', async t => {
  const app = await build(t)
  const users = await Promise.all(times(20, () => addUser(app)))
  const answers = await Promise.all(users.map(({ email }) => logIn(app, email, '192.0.2.7')))
  t.strictSame(
    statusesOf(answers),
    users.map(() => 200)
  )
})

t.test('right passwords for one account from one address have a limit that nobody meets', async t => {
  const url = await databaseUrl(t)
  const app = await build(t, { url })
  const { email } = await addUser(app)
  t.equal((await logIn(app, email, '192.0.2.1')).statusCode, 200)
  const client = await MongoClient.connect(url)
  t.teardown(() => client.close())
  const attempts = client.db().collection('login_attempts')
  t.equal((await attempts.updateMany({ right: 1 }, { $set: { right: 999 } })).modifiedCount, 1)
  t.equal((await logIn(app, email, '192.0.2.1')).statusCode, 200)
  const { statusCode, headers } = await logIn(app, email, '192.0.2.1')
  t.equal(statusCode, 429)
  t.ok(Number(headers['retry-after']) > 700)
  t.equal((await logIn(app, email, '192.0.2.2')).statusCode, 200, 'other addresses may sign in')
  await attempts.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1000) } })
  t.equal((await logIn(app, email, '192.0.2.1')).statusCode, 200, 'until the window has ended')
})
