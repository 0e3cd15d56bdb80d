import t from 'tap'
import { build } from '../helpers/app.js'

t.test('a forwarded address without TRUST_PROXY makes one warning', async t => {
  for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto']) {
    const log: string[] = []
    const app = await build(t, { log })
    await app.inject('/health')
    const before = log.length
    t.strictSame(
      log.filter(line => JSON.parse(line).level >= 40),
      []
    )
    for (let i = 0; i < 3; i++) await app.inject({ url: '/nothing', headers: { [name]: '198.51.100.1' } })
    const warnings = log.slice(before).filter(line => JSON.parse(line).level >= 40)
    t.equal(warnings.length, 1, name)
    t.match(warnings[0], /TRUST_PROXY/, name)
  }
  const log: string[] = []
  const app = await build(t, { log, settings: { TRUST_PROXY: '1' } })
  await app.inject({ url: '/nothing', headers: { 'x-forwarded-for': '198.51.100.1' } })
  t.strictSame(
    log.filter(line => JSON.parse(line).level >= 40),
    []
  )
})
