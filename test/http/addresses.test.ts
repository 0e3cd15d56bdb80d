import t, { type Test, test } from 'tap'
import { callerOf, withoutPorts } from '../../src/http/addresses.js'
import { addUser, build, password } from '../helpers/app.js'

test('who counts as one caller', async t => {
  for (const [address, caller] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:2::ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1::3:4:5:6', '2001:db8:1:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['::fffe:cb00:7109', '0:0:0:0::/64'],
    ['1::ffff:cb00:7109', '1:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
    ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['[2001:db8::1]:65535', '2001:db8:0:0::/64'],
    ['192.0.2.7:80', '192.0.2.7'],
    ['192.0.2.7:', ''],
    ['192.0.2.7:123456', ''],
    ['192.0.2', ''],
    ['192.0.2.07', ''],
    ['2001:db8::1:80:', ''],
    ['2001:db8::1::2', ''],
    ['1:2:3:4:5:6:7:8:9::', ''],
    ['[]', ''],
    ['', ''],
    [undefined, '']
  ] as const)
    t.equal(callerOf(address), caller, String(address))
})

test('of a chain of proxies only the last hundred are read', async t => {
  const entries = withoutPorts(`${'1,'.repeat(7000)}203.0.113.9:80, [2001:db8::1]:443`).split(',')
  t.equal(entries.length, 100)
  t.strictSame(entries.slice(-3), ['1', '203.0.113.9', '2001:db8::1'])
})

const behindProxies = (t: Test, TRUST_PROXY = '1', settings: Record<string, string> = {}) =>
  build(t, { settings: { TRUST_PROXY, ...settings } })

/** Spellings of one caller each, as proxies write them. */
const callers = {
  'an IPv4 address': [
    '203.0.113.9',
    '203.0.113.9:40001',
    '203.0.113.9:40002',
    '[203.0.113.9]:7',
    '::ffff:203.0.113.9',
    '::ffff:cb00:7109',
    '[::FFFF:CB00:7109]:9',
    '0:0:0:0:0:ffff:203.0.113.9'
  ],
  'an IPv6 network': [
    '2001:db8:1:2::1',
    '[2001:db8:1:2::2]',
    '[2001:db8:1:2::3]:40003',
    '2001:DB8:1:2:3:4:5:6',
    '[2001:db8:1:2::192.0.2.1]:5'
  ],
  'a link': ['fe80::1', 'fe80::2%eth0', '[fe80::3%eth1]:40004'],
  'what is no address': [
    '1:2:3:4:5:6:7:8:9::',
    '::1::',
    'unknown',
    '_hidden',
    '203.0.113.256',
    '203.0.113.9:port',
    '[203.0.113.9',
    ':80',
    'x'.repeat(9000)
  ]
}

t.test('the rate limit counts a caller once, however the address is spelled', async t => {
  for (const [who, spellings] of Object.entries(callers)) {
    const app = await behindProxies(t, '1', { RATE_LIMIT_ADDRESS: '1' })
    const statuses = []
    for (const spelling of spellings)
      statuses.push((await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': spelling } })).statusCode)
    t.strictSame(statuses, [404, ...spellings.slice(1).map(() => 429)], who)
    const { statusCode } = await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': '198.51.100.7' } })
    t.equal(statusCode, 404, 'another caller is not limited')
  }
})

t.test('the limit of failed logins too', async t => {
  const app = await behindProxies(t, '1', { LOGIN_LIMIT: '1' })
  for (const [who, [first = '', ...others]] of Object.entries(callers)) {
    const { email } = await addUser(app)
    const logIn = async (forwarded: string, given: string) =>
      (
        await app.inject({
          method: 'POST',
          url: '/login',
          headers: { 'x-forwarded-for': forwarded },
          payload: { email, password: given }
        })
      ).statusCode
    t.equal(await logIn(first, 'wrong'), 401, who)
    for (const other of others) t.equal(await logIn(other, password), 429, other.slice(0, 40))
    t.equal(await logIn('198.51.100.7', password), 200, 'another caller is not limited')
  }
})

t.test('trusted proxies may be written with ports', async t => {
  const chains = (caller: string) => [
    `${caller}, 10.0.0.1`,
    `${caller}, 10.0.0.2:4711`,
    `${caller}:4000, [10.0.0.3]:80`,
    `spoofed, ${caller}:4001, ::ffff:10.0.0.4`,
    `198.51.100.250:1, ${caller}, [::ffff:a00:5]:443`,
    `198.51.100.251:1, ${caller} , [fd00::6]:443`,
    `198.51.100.251:1, ${caller} ,fd00::7%eth0`
  ]
  for (const TRUST_PROXY of ['2', '127.0.0.1, 10.0.0.0/8, fd00::/8', 'loopback, uniquelocal']) {
    const app = await behindProxies(t, TRUST_PROXY, { RATE_LIMIT_ADDRESS: '1' })
    const from = async (forwarded: string) => (await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': forwarded } })).statusCode
    const [first = '', ...others] = chains('203.0.113.9')
    t.equal(await from(first), 404, TRUST_PROXY)
    for (const chain of others) t.equal(await from(chain), 429, `${TRUST_PROXY}: ${chain}`)
    for (const chain of chains('203.0.113.10').slice(1, 2)) t.equal(await from(chain), 404, `${TRUST_PROXY}: ${chain}`)
  }
})

t.test('a proxy with a port that is not trusted is the caller itself', async t => {
  const app = await behindProxies(t, 'loopback', { RATE_LIMIT_ADDRESS: '1' })
  const from = async (forwarded: string) => (await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': forwarded } })).statusCode
  t.equal(await from('203.0.113.1, 192.0.2.1:4000'), 404)
  t.equal(await from('203.0.113.2, 192.0.2.1:4001'), 429)
  t.equal(await from('203.0.113.2, no-address, 127.0.0.1:80'), 404)
  t.equal(await from('203.0.113.3, nor-this, 127.0.0.1:81'), 429)
})

t.test('an address of the connection itself may be anything', async t => {
  const app = await build(t, { settings: { RATE_LIMIT_ADDRESS: '1' } })
  const from = async (remoteAddress: string) => (await app.inject({ url: '/nothing', remoteAddress })).statusCode
  t.equal(await from('fe80::1%eth0'), 404)
  t.equal(await from('fe80::2%eth1'), 429)
  t.equal(await from('1:2:3:4:5:6:7:8:9::'), 404)
  t.equal(await from('/var/run/socket'), 429)
})
