import t from 'tap'
import { Table, textKey } from '../../src/import/table.js'

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
