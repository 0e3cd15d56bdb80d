import t from 'tap'
import { Cache, copyText, entrySize, trackedBytes } from '../src/cache.js'
import { Table, textKey } from '../src/table.js'
import { moment, timestamp } from '../src/time.js'
import { bytesInUse, collectGarbage } from './helpers/memory.js'

t.test('timestamp', async t => {
  const moments: [string, string][] = [
    ['2026-01-31T20:15:00.123Z', '2026-01-31T20:15:00.123000Z'],
    ['2026-01-31T20:15:00Z', '2026-01-31T20:15:00.000000Z'],
    ['1970-01-01T00:00:00.001Z', '1970-01-01T00:00:00.001000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999000Z']
  ]
  for (const [at, text] of moments) {
    t.equal(timestamp(new Date(at)), text)
    t.equal(moment(text)?.getTime(), Date.parse(at), 'it can be read again')
  }
  for (let n = 0; n < 5000; n++) {
    const any = new Date(Math.round(Math.random() * Date.parse('9999-12-31')))
    const text = any.toISOString().replace('Z', '000Z')
    if (timestamp(any) !== text) t.equal(timestamp(any), text)
  }
  t.throws(() => timestamp(new Date(Number.NaN)))
})

t.test('moment', async t => {
  const good: [string, string][] = [
    ['2026-03-01T11:15:00Z', '2026-03-01T11:15:00.000Z'],
    ['2026-03-01t11:15:00z', '2026-03-01T11:15:00.000Z'],
    ['2026-03-01T11:15:00.1Z', '2026-03-01T11:15:00.100Z'],
    ['2026-03-01T11:15:00.1239Z', '2026-03-01T11:15:00.123Z'],
    ['2026-03-01T11:15:00.999999999999999999Z', '2026-03-01T11:15:00.999Z'],
    ['2026-03-01T11:15:00.123456+01:00', '2026-03-01T10:15:00.123Z'],
    ['2026-03-01T00:15:00+23:59', '2026-02-28T00:16:00.000Z'],
    ['2026-03-01T11:15:00-00:00', '2026-03-01T11:15:00.000Z'],
    ['2026-12-31T23:30:00-01:30', '2027-01-01T01:00:00.000Z'],
    ['2026-03-01T00:00:00+14:00', '2026-02-28T10:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0004-02-29T00:00:00Z', '0004-02-29T00:00:00.000Z'],
    ['0000-02-29T00:00:00Z', '0000-02-29T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31T23:59:59.999Z'],
    ['1985-04-12T23:20:50.52Z', '1985-04-12T23:20:50.520Z'],
    ['1937-01-01T12:00:27.87+00:20', '1937-01-01T11:40:27.870Z'],
    ['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59.999Z'],
    ['0000-01-01T00:00:00+01:00', '0000-01-01T00:00:00.000Z']
  ]
  for (const [text, at] of good) t.equal(moment(text)?.toISOString(), at, text)

  t.test('reads the leap seconds of RFC 3339', async t => {
    for (const text of ['1990-12-31T23:59:60Z', '1990-12-31T15:59:60-08:00', '2016-12-31T23:59:60.5Z']) {
      const at = moment(text)?.getTime() ?? Number.NaN
      const minute = Date.parse(text.includes('1990') ? '1991-01-01T00:00:00Z' : '2017-01-01T00:00:00Z')
      t.ok(Math.abs(at - minute) <= 1000, `${text} is ${at}`)
    }
  })

  t.test('refuses what names no moment', async t => {
    const bad = [
      '',
      'now',
      '2026',
      '2026-03-01',
      '2026-03-01T11:15:00',
      '2026-03-01T11:15Z',
      '2026-3-1T11:15:00Z',
      '2026-03-01T11:15:00,5Z',
      '2026-03-01T11:15:00.Z',
      '2026-03-01T11:15:00+0100',
      '2026-03-01T11:15:00+01',
      '2026-03-01T11:15:00 Z',
      '2026-03-01  11:15:00Z',
      '2026-03-01T24:00:00Z',
      '2026-03-01T24:00:00.000+01:00',
      '2026-03-01T25:00:00Z',
      '2026-03-01T23:60:00Z',
      '2026-03-01T23:59:61Z',
      '2026-03-01T11:15:00+24:00',
      '2026-03-01T11:15:00+00:60',
      '2026-02-29T00:00:00Z',
      '2026-02-29T23:00:00-12:00',
      '1900-02-29T00:00:00Z',
      '2100-02-29T00:00:00Z',
      '2026-04-31T00:00:00Z',
      '2026-06-31T00:00:00Z',
      '2026-09-31T00:00:00Z',
      '2026-11-31T00:00:00Z',
      '2026-01-32T00:00:00Z',
      '2026-00-01T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-00T00:00:00Z',
      '+012026-01-01T00:00:00Z',
      '-2026-01-01T00:00:00Z',
      '12026-01-01T00:00:00Z',
      '2026-03-01T11:15:00Z\n',
      ' 2026-03-01T11:15:00Z',
      '٢٠٢٦-03-01T11:15:00Z',
      '2026-W09-7T11:15:00Z'
    ]
    for (const text of bad) t.equal(moment(text), undefined, JSON.stringify(text))
  })
})

/** What a value of one letter weighs with a key of one letter. */
const one = entrySize('a') + 1
const cacheOf = (bound: number) => new Cache<string, string>(bound, ({ length }) => length)

t.test('what was not used for longest is dropped first', async t => {
  const cache = cacheOf(4 * one)
  const known = (...keys: string[]) => keys.filter(key => cache.get(key) === key)
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, key)
  t.strictSame(known('a', 'c'), ['a', 'c'])
  cache.set('e', 'e')
  t.strictSame(known('a', 'b', 'c', 'd', 'e'), ['a', 'c', 'd', 'e'], 'the oldest unread entry is dropped')
  cache.set('f', 'f')
  t.strictSame(known('a', 'c', 'd', 'e', 'f'), ['c', 'd', 'e', 'f'], 'if all were read, the one that was read longest ago')
  t.equal(cache.weight, 4 * one)
})

t.test('a replaced value counts with its new weight', async t => {
  const cache = cacheOf(1000)
  cache.set('a', 'a long one')
  cache.set('a', 'short')
  t.equal(cache.weight, one + 4)
  cache.delete('a')
  cache.delete('a')
  t.equal(cache.weight, 0)
})

t.test('a value beyond the bound is not kept', async t => {
  const cache = cacheOf(one + 3)
  cache.set('a', 'a')
  cache.set('b', 'too long')
  t.equal(cache.get('b'), undefined)
  t.equal(cache.get('a'), 'a', 'it displaces no other entry')
  cache.set('a', 'too long')
  t.equal(cache.get('a'), undefined, 'its former value is gone as well')
  cache.set('c', 'c')
  cache.clear()
  t.equal(cache.get('c'), undefined)
  t.equal(cache.weight, 0)
})

t.test('a key counts with the memory that it takes', async t => {
  const cache = cacheOf(1_000_000)
  const long = 'k'.repeat(15_000)
  for (let i = 0; i < 1000; i++) cache.set(`${i} ${long}`, '')
  t.ok(cache.weight <= 1_000_000)
  t.equal(cache.get(`0 ${long}`), undefined, 'the first entries were dropped')
  t.equal(cache.get(`999 ${long}`), '')
  cache.set('k'.repeat(500_000), '')
  t.equal(cache.get('k'.repeat(500_000)), undefined, 'a value that is too long by itself is not stored')
})

t.test('the tracked bytes of a process are the sum over its caches', async t => {
  const before = trackedBytes()
  const [first, second] = [cacheOf(1000), cacheOf(1000)]
  first.set('a', 'a')
  second.set('a', 'a')
  t.equal(trackedBytes() - before, 2 * one)
  first.clear()
  t.equal(trackedBytes() - before, one)
  second.clear()
})

t.test('a cache that was garbage-collected is not counted', async t => {
  await collectGarbage()
  const before = trackedBytes()
  const forget = () => {
    for (let i = 0; i < 10; i++) cacheOf(1_000_000).set('a', 'a'.repeat(100_000))
  }
  forget()
  t.ok(trackedBytes() > before + 1_000_000)
  await collectGarbage()
  t.ok(trackedBytes() <= before)
})

t.test('a copied text does not keep the text that it was part of in memory', async t => {
  const header = (i: number) => Buffer.alloc(15_000, 'x').toString('latin1') + String(i).padStart(20, '0')
  const before = await bytesInUse()
  const texts = Array.from({ length: 1000 }, (_, i) => copyText(header(i).slice(-20)))
  t.ok((await bytesInUse()) - before < 1_000_000)
  t.equal(texts[7], header(7).slice(-20))
})

t.test('a table', async t => {
  t.test('keeps ids and their numbers as it grows', async t => {
    const table = new Table(1, 2)
    for (let id = 1; id <= 5000; id++) table.add([id * 7919], id, -id)
    for (let id = 1; id <= 5000; id++) {
      if (table.get(0, id * 7919) !== id || table.get(1, id * 7919) !== -id) t.fail(`${id} is lost`)
    }
    const pairs = [...table.pairs()].sort(([one], [other]) => one - other)
    t.strictSame(
      pairs,
      Array.from({ length: 5000 }, (_, i) => [(i + 1) * 7919, i + 1])
    )
  })

  t.test('keeps pairs as it grows', async t => {
    const table = new Table(2, 1)
    for (let user = 1; user <= 60; user++) for (let content = 1; content <= 60; content++) table.add([user, content], user * content)
    for (let user = 1; user <= 60; user++)
      for (let content = 1; content <= 60; content++)
        if (table.get(0, user, content) !== user * content) t.fail(`${user} and ${content} are lost`)
    t.equal([...table.pairs()].length, 3600)
    t.equal(table.get(0, 59, 58), 59 * 58)
    t.equal(table.has(61, 1), false)
    t.equal(table.has(1, 61), false)
  })

  t.test('keeps what a key holds until it is set', async t => {
    const table = new Table(1, 1)
    t.equal(table.add([5], 1), true)
    t.equal(table.add([5], 2), false)
    t.equal(table.get(0, 5), 1)
    table.set(0, 3, 5)
    t.equal(table.get(0, 5), 3)
  })

  t.test('loses the rows up to a number, and keeps the others', async t => {
    const table = new Table(2, 1)
    for (let id = 0; id < 1000; id++) table.add([id, -id], id)
    t.equal(table.removeUpTo(-1), 0)
    t.equal(table.removeUpTo(899), 900)
    t.equal(table.removeUpTo(899), 0)
    for (let id = 0; id < 1000; id++) if (table.get(0, id, -id) !== (id < 900 ? undefined : id)) t.fail(`${id} is wrong`)
    t.equal(table.add([899, -899], 1000), true)
    t.equal(table.removeUpTo(1000), 101)
    t.strictSame([...table.pairs()], [])
  })

  t.test('knows what it lacks, and the greatest id and zero', async t => {
    const table = new Table(1, 1)
    t.equal(table.get(0, 1), undefined)
    t.equal(table.has(0), false)
    table.add([0], 4)
    table.add([Number.MAX_SAFE_INTEGER], 5)
    t.equal(table.get(0, 0), 4)
    t.equal(table.get(0, Number.MAX_SAFE_INTEGER), 5)
  })
})

t.test('the key of texts tells them apart', async t => {
  t.strictSame(textKey('a', 'b'), textKey('a', 'b'))
  t.notSame(textKey('a', 'b'), textKey('ab'))
  t.notSame(textKey('a', 'b'), textKey('b', 'a'))
})
