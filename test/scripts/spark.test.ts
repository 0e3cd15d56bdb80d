import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { connector, isAsGood, qualityOf, splitOff } from '../../scripts/spark/trial.js'
import { viewersOf } from '../../scripts/spark/viewers.js'
import { modelFormat } from '../../src/recommendations/stored-model.js'

const read = (path: string) => readFile(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8')

t.test('the job of Spark writes the format that the service reads', async t => {
  t.equal(/^FORMAT = (\d+)$/m.exec(await read('deploy/spark/training/model.py'))?.[1], `${modelFormat}`)
})

/** Where the service defines the constants that the job repeats. */
const constants = {
  'sampling.ts': ['maxLength', 'minLength'],
  'next.ts': ['ageing', 'usualViews'],
  'succession.ts': ['reach', 'distance', 'back', 'counts', 'sources', 'doubt', 'nearby', 'few', 'popularity', 'enoughToBeSure'],
  'taste.ts': ['neighboursPerView'],
  'train.ts': ['maxNeighbours', 'usualKeep']
}

t.test('its tables are made with the same constants', async t => {
  const job = (await Promise.all(['counts', 'pairs', 'settings', 'tables'].map(name => read(`deploy/spark/training/${name}.py`)))).join('')
  for (const [file, names] of Object.entries(constants)) {
    const service = await read(`src/recommendations/model/${file}`)
    for (const name of names) {
      const upper = name.replaceAll(/[A-Z]/g, letter => `_${letter}`).toUpperCase()
      const value = new RegExp(`^${upper} = (.+)$`, 'm').exec(job)?.[1]
      t.equal(new RegExp(`^(?:export )?const ${name} = (.+)$`, 'm').exec(service)?.[1], value, name)
      t.ok(value)
    }
  }
})

t.test('its page names the versions that npm run spark tries', async t => {
  const page = await read('deploy/spark/README.md')
  t.match(page, connector)
  const pyspark = /^pyspark==(\d+\.\d+)\./m.exec(await read('deploy/spark/requirements.txt'))?.[1]
  t.match(page, `Spark ${pyspark}`)
})

t.test('made-up viewers', async t => {
  const shape = { viewers: 300, titles: 200, views: 20, group: 40 }
  const histories = [...viewersOf(shape)]
  t.strictSame([...viewersOf(shape)], histories, 'the histories are the same every time')
  t.notSame([...viewersOf({ ...shape, seed: 2 })], histories)
  t.equal(histories.length, 300)
  t.ok(
    histories.every(history => new Set(history).size === history.length),
    'no title occurs twice'
  )
  t.ok(histories.flat().every(title => Number.isInteger(title) && title >= 0 && title < 200))
  const mean = histories.flat().length / 300
  t.ok(mean > 15 && mean < 25, `${mean} titles on average`)
})

t.test('the quality of a model that knows one step', async t => {
  const { training, last } = splitOff([
    [1, 2],
    [2, 3],
    [1, 3]
  ])
  const model = {
    ids: Float64Array.of(3, 2, 1),
    watchedCount: 3,
    // After 1 comes 2, after 2 comes 1.
    links: { starts: Uint32Array.of(0, 0, 1, 2), targets: Uint32Array.of(2, 1), tables: 1, weights: Float32Array.of(1, 1) },
    shares: [{ share: 1, halfLife: 1 }],
    views: Float32Array.of(1, 1, 2),
    freshness: Float32Array.of(1, 1, 1),
    weights: new Float64Array(0)
  }
  t.match(qualityOf(model, training, last, 3), { hits: 1 / 3, ndcg: 1 / 3 })
})

t.test('a model may be one per cent worse, in hits and in nDCG', async t => {
  const service = { hits: 0.2, ndcg: 0.1 }
  t.ok(isAsGood({ hits: 0.1981, ndcg: 0.0991 }, service))
  t.ok(isAsGood({ hits: 0.3, ndcg: 0.2 }, service))
  t.notOk(isAsGood({ hits: 0.1979, ndcg: 0.1 }, service))
  t.notOk(isAsGood({ hits: 0.2, ndcg: 0.0989 }, service))
})
