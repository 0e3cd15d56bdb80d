import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { trackedBytes } from '../../src/cache.js'
import { type Answer, AnswerCache, type RunInTurn } from '../../src/catalogue/answers.js'
import { jsonAnswer, ownBytes } from '../../src/catalogue/bytes.js'
import { Pacer } from '../../src/overload/pacer.js'
import { bytesInUse } from '../helpers/memory.js'

const pacer = new Pacer()
const run: RunInTurn = job => pacer.run(job)
const valid = { version: 1, now: 1000, until: () => 2000 }

t.test('an answer holds until the catalogue or the clock changes it', async t => {
  const answers = new AnswerCache()
  let made = 0
  const ask = (validity = valid) => answers.get('key', validity, () => jsonAnswer({ made: ++made }), run)
  const { etag } = await ask()
  t.match(etag, /^"[\w+/]{27}"$/)
  t.equal(((await ask({ ...valid, now: 1999 })) as Answer<unknown>).etag, etag)
  t.notOk(ask() instanceof Promise, 'a cached answer needs no waiting')
  t.equal(made, 1)
  await ask({ ...valid, now: 2000 })
  t.equal(made, 2, 'the clock makes the answer obsolete')
  await ask({ ...valid, version: 2 })
  t.equal(made, 3, 'a changed catalogue makes it obsolete')
})

t.test('an answer with an end of its own is not kept beyond it', async t => {
  const answers = new AnswerCache()
  let made = 0
  const ask = (key: string, now: number, until: number) =>
    answers.get(key, { ...valid, now }, () => ({ ...jsonAnswer({ made: ++made }), until }), run)
  await ask('early', 1000, 1500)
  await ask('early', 1499, 1500)
  t.equal(made, 1)
  await ask('early', 1500, 1500)
  t.equal(made, 2)
  await ask('late', 1000, 9000)
  await ask('late', 2000, 9000)
  t.equal(made, 4, 'nor after the time until which all answers are valid')
})

t.test('concurrent requests for the same answer make it once', async t => {
  const answers = new AnswerCache()
  let made = 0
  const make = () => {
    const until = performance.now() + 2
    while (performance.now() < until);
    return jsonAnswer({ made: ++made })
  }
  const all = await Promise.all(Array.from({ length: 20 }, () => answers.get('key', valid, make, run)))
  t.equal(made, 1)
  t.equal(new Set(all).size, 1)
})

t.test('requests for an answer that waits for the database share it', async t => {
  const answers = new AnswerCache()
  let made = 0
  const ask = async (given: object = {}, own: { until?: number; fails?: boolean } = {}) => {
    const { until, fails } = own
    const make = async () => {
      const n = ++made
      await sleep(20)
      if (fails) throw new Error(`failed ${n}`)
      return { ...jsonAnswer({ made: n }), ...(until !== undefined && { until }) }
    }
    const { bytes } = await answers.get('key', { ...valid, ...given }, make, run)
    return JSON.parse(bytes.toString()).made
  }
  const together = (...asked: Promise<unknown>[]) => Promise.all(asked)

  t.strictSame(await together(...Array.from({ length: 20 }, () => ask())), Array(20).fill(1))
  t.strictSame(await together(ask({ version: 2 }), ask({ version: 3 }), ask({ version: 2 })), [2, 3, 2], 'each version has its own')
  t.strictSame(await together(ask({ version: 4 }), ask({ version: 4, now: 2000 })), [4, 5], 'a later request does not get an outdated one')
  t.strictSame(await together(ask({ version: 5 }, { until: 1500 }), ask({ version: 5, now: 1500 })), [6, 7])

  const failed = await Promise.allSettled([ask({ version: 6 }, { fails: true }), ask({ version: 6 }, { fails: true })])
  t.strictSame(
    failed.map(result => result.status === 'rejected' && result.reason.message),
    ['failed 8', 'failed 8']
  )
  t.equal(await ask({ version: 6 }), 9, 'a failure is not kept')
})

t.test('an answer without elements is not kept', async t => {
  const answers = new AnswerCache()
  const ask = (elements: number[]) => answers.get('key', valid, () => jsonAnswer(elements, elements.length === 0), run)
  await ask([])
  t.ok(ask([]) instanceof Promise)
  await ask([1])
  t.notOk(ask([1]) instanceof Promise)
})

t.test('an answer keeps no more memory than it weighs', async t => {
  const filled = async () => {
    const answers = new AnswerCache()
    for (let i = 0; i < 2000; i++) {
      await answers.get(`key ${i}`, valid, () => jsonAnswer(`${i}`.repeat(100)), run)
      // These share the pool of small buffers with the answers.
      for (let n = 0; n < 5; n++) Buffer.from('x'.repeat(1500))
    }
    return answers
  }
  // V8 compiles and optimizes during the first run.
  await filled()
  const before = await bytesInUse()
  const weightBefore = trackedBytes()
  const answers = await filled()
  const weight = trackedBytes() - weightBefore
  const used = (await bytesInUse()) - before
  t.ok(used < weight * 1.5 + 500_000, `${used} bytes, ${weight} by weight`)
  t.notOk(answers.get('key 0', valid, () => jsonAnswer([]), run) instanceof Promise, 'the cached answers are still there')
})

t.test('ownBytes copies small buffers and returns large ones as they are', async t => {
  const small = Buffer.from('small')
  t.equal(ownBytes(small).toString(), 'small')
  t.equal(ownBytes(small).buffer.byteLength, 5)
  const large = Buffer.alloc(10_000)
  t.equal(ownBytes(large), large, 'bytes that share no buffer are not copied')
})
