import t from 'tap'
import { importer, lines } from '../helper.js'

t.test('terms', async t => {
  const { run, counts, all, faults } = await importer(t)
  const free = (vendor_id: string, more: object = {}) => ({ vendor_id, name: vendor_id, taxonomy: 'genre', ...more })
  const known = async () => (await all('terms')).map(({ _id, vendor_id, name }) => [_id, vendor_id, name])

  t.test('get ids past those that are given', async t => {
    await run({ 'terms.ndjson': lines(free('a'), free('b', { id: 40 }), free('c')) })
    t.strictSame(await known(), [
      [40, 'b', 'b'],
      [41, 'a', 'a'],
      [42, 'c', 'c']
    ])
  })
  t.test('are known by taxonomy and vendor_id', async t => {
    t.strictSame(await counts({ 'terms.ndjson': lines(free('c', { name: 'C' }), free('a'), free('d')) }), { terms: [1, 1, 1] })
    t.strictSame((await known()).slice(1), [
      [41, 'a', 'a'],
      [42, 'c', 'C'],
      [43, 'd', 'd']
    ])
  })
  t.test('change their pair under an id', async t => {
    t.strictSame(await counts({ 'terms.ndjson': lines(free('e', { id: 43 })) }), { terms: [0, 1, 0] })
    t.strictSame((await known())[3], [43, 'e', 'e'])
  })
  t.test('keep their pairs to themselves', async t => {
    const clash = lines(free('a', { id: 5 }), free('x'), free('x'), free('b'), free('y', { id: 40 }))
    t.strictSame(await faults({ 'terms.ndjson': clash }), [
      'terms.ndjson:1: id: the term with this taxonomy and vendor_id has the id 41',
      'terms.ndjson:3: vendor_id: is already used in line 2',
      'terms.ndjson:5: id: is already used in line 4'
    ])
  })
})
