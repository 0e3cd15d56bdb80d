import t from 'tap'
import { byPopularity, firstOf } from '../../../src/recommendations/model/interactions.js'
import { tableAt } from '../../../src/recommendations/model/links.js'
import { type Features, likenesses, product, withNewcomers } from '../../../src/recommendations/model/newcomers.js'
import { Ranker } from '../../../src/recommendations/model/ranker.js'
import { train } from '../../../src/recommendations/model/train.js'
import { interleaved } from '../../../src/recommendations/serving/served-model.js'
import { interactions, isNear, itemsOf, rankingOf, rowsOf, tableOf } from './helper.js'
import { featured } from './synthetic.js'

const featuresOf = (...items: number[][]): Features => ({
  starts: Uint32Array.from([0, ...items.map((_, at) => items.slice(0, at + 1).flat().length)]),
  values: Uint32Array.from(items.flat())
})

t.test('items are like each other by the cosine of their features, in which what is rare counts more', async t => {
  // Features 0, 1 and 2 are equally rare: 2 of 5 items have each. Feature 3 says nothing, because 4 items have it.
  const features = featuresOf([0, 1, 3], [0, 3], [1, 3], [2, 3], [2])
  const rows = tableOf(likenesses(features, [0, 3], item => item !== 4, 10))
  const half = Math.SQRT1_2
  t.ok(
    isNear(rows, [
      [0, half, half, 0, 0],
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0],
      [0, 0, 0, 0, 0]
    ]),
    JSON.stringify(rows)
  )
  t.ok(
    isNear(
      tableOf(likenesses(features, [3], () => true, 10)),
      [0, 1, 2, 3, 4].map(row => [0, 0, 0, 0, row === 3 ? 1 : 0])
    )
  )
  t.strictSame(tableOf(likenesses(features, [0], () => true, 1))[0]?.filter(weight => weight > 0).length, 1, 'only the best are kept')
})

t.test('a product of tables keeps the strongest of each row', async t => {
  const one = rowsOf(
    [
      [1, 0.5],
      [2, 1]
    ],
    [],
    [[0, 1]]
  ).sorted()
  const other = rowsOf(
    [[1, 3]],
    [
      [0, 9],
      [2, 4]
    ],
    [
      [2, 1],
      [1, 5]
    ]
  ).sorted()
  // Row 0 is half of row 1 and all of row 2, without itself.
  t.strictSame(tableOf(product(one, other, 9)), [
    [0, 5, 3],
    [0, 0, 0],
    [0, 3, 0]
  ])
  t.strictSame(tableOf(product(one, other, 1)), [
    [0, 5, 0],
    [0, 0, 0],
    [0, 3, 0]
  ])
})

t.test('a title that nobody has watched is recommended to viewers of titles like it, and leads to the same titles', async t => {
  // Two circles of four titles each: nobody knows both. Title 8 is like the first, title 9 like the second, title 10 like none.
  const histories = Array.from({ length: 40 }, (_, user) => [0, 1, 2, 3].filter(at => at !== user % 4).map(at => at + (user % 2) * 4))
  const viewed = interactions(...histories)
  const features = featuresOf(...Array.from({ length: 8 }, (_, item) => [item < 4 ? 0 : 1]), [0], [1], [2])
  const ranker = new Ranker(withNewcomers(train(viewed), features))
  const best = (...items: number[]) => ranker.bestApart({ items }, 8, [5, 5], item => !items.includes(item)).flatMap(itemsOf)
  t.ok(best(0, 1).includes(8) && !best(0, 1).includes(9), `${best(0, 1)}`)
  t.ok(best(4, 5).includes(9) && !best(4, 5).includes(8), `${best(4, 5)}`)
  t.strictSame(best(8).sort(), [0, 1, 2, 3])
  t.strictSame(best(10), [])
})

t.test('titles with many views keep the links that they have', async t => {
  const histories = Array.from({ length: 90 }, (_, user) => [0, 1, 2].filter(at => at !== user % 3))
  const viewed = interactions(...histories)
  const model = train(viewed)
  t.strictSame(withNewcomers(model, featuresOf([0], [0], [1])), model)
})

t.test('a link that is borrowed is at most half as strong as the strongest of its title by its own views', async t => {
  // Title 0 leads to 1. Titles 2 and 3, which are like it, lead to each other ten times as strongly. Title 4 has no links.
  const rows = rowsOf([[1, 1]], [], [[3, 10]], [[2, 10]], []).sorted()
  const ranking = rankingOf([rows, rows], { views: Float32Array.of(3, 3, 3, 3, 1) })
  const { links, views, freshness } = withNewcomers(ranking, featuresOf([0], [1], [0], [0], [0], [2], [3], [4]))
  for (const table of [0, 1]) {
    const [first, , third, , fifth] = tableOf(tableAt(links, table)) as [number[], number[], number[], number[], number[]]
    t.strictSame(first.slice(0, 4), [0, 1, 0.5, 0.5])
    t.ok((first[4] as number) <= 0.5)
    t.equal(third[3], 10)
    t.ok((fifth[2] as number) > 1, 'a title without links of its own borrows whole')
  }
  t.strictSame([...views], [3, 3, 3, 3, 1, 0, 0, 0], 'nobody has watched newcomers')
  t.strictSame([...freshness], Array(8).fill(1), 'which are as fresh as is usual')
})

t.test('what a title with viewers borrows is never sure', async t => {
  // All viewers of title 0 went on to 1. Title 3, which one viewer watched last, is like 0.
  const sure = train(interactions([0, 1], [0, 1], [0, 1], [2, 0, 1, 3]))
  const { links } = withNewcomers(sure, featuresOf([0], [1], [2], [0], [3], [4]))
  const [first, , , fourth] = tableOf(tableAt(links, 2)) as [number[], number[], number[], number[]]
  t.equal(first[1], 1)
  t.ok((fourth[1] as number) > 0 && (fourth[1] as number) < 1, `${fourth}`)
})

t.test('titles that were held out whole are found far more often than by their popularity in hindsight', async t => {
  const { histories, features, known } = featured({ items: 700 })
  const watched = histories.map(history => history.filter(item => item < known))
  const viewed = interactions(...watched)
  const ranker = new Ranker(withNewcomers(train(viewed), featuresOf(...features)))
  const popular = byPopularity(interactions(...histories))
  let [found, byFame, before, after] = [0, 0, 0, 0]
  histories.forEach((whole, user) => {
    const own = watched[user] as number[]
    const isNew = (item: number) => item >= known && whole.includes(item)
    const [best, fresh] = ranker.bestApart({ items: own }, known, [10, 1], item => !own.includes(item))
    const list = interleaved(best, fresh, 10)
    if (list.some(({ item }) => isNew(item))) found++
    if (firstOf(popular, 1, item => item >= known).some(isNew)) byFame++
    before += best.length
    after += list.filter(({ item }) => item < known).length
  })
  t.ok(found > 60 && found >= 1.5 * byFame, `${found} against ${byFame}`)
  t.ok(after >= 0.9 * before, 'new titles take at most a tenth of the places')
})
