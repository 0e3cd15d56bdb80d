import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { Faults } from '../src/import/checking.js'
import {
  byPopularity,
  firstOf,
  type HoldOut,
  holdOut,
  type Interactions,
  type Model,
  pastIn,
  pastOf,
  type Quality,
  qualitiesOf,
  splitByTime,
  type TrainingStep,
  train
} from '../src/recommendations/model/index.js'
import { stopOnSignal } from './command-line.js'
import { outputAt } from './output.js'
import { progressTo } from './progress.js'
import { type Dataset, EventsReader, listsFrom } from './recommend/events.js'
import { type Arguments, costLine, learnedLine, readArguments, readLine, splitLine, table } from './recommend/terminal.js'

/** Users between two checks for a stop signal. */
const usersAtOnce = 500

const progress = progressTo(process.stderr)

const sizeOf = async (path: string) => {
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw new Error(`${path} is a folder`)
    return found.size
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Error(`${path} does not exist`) : error
  }
}

const read = async (path: string): Promise<Dataset> => {
  const total = await sizeOf(path)
  const reader = new EventsReader(path)
  let done = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    reader.push(chunk)
    done += chunk.length
    progress.update({ step: 'read', file: path, records: reader.lines, unit: 'lines', done, total })
  }
  const dataset = reader.end()
  if (!(dataset instanceof Faults)) return dataset
  throw new Error([...dataset.lines, ...(dataset.rest > 0 ? [`and ${dataset.rest} more`] : []), 'Nothing was written.'].join('\n'))
}

const onProgress = ({ step, done, total }: TrainingStep) => progress.update({ step, file: 'the model', records: done, done, total })

/** Trains a model and prints how well it predicts what is held out, compared with popularity. */
const compare = (out: HoldOut, k: number, lastWeek?: Interactions): Model => {
  const { training } = out
  const model = train(training, { onProgress })
  const popular = byPopularity(training)
  const pastFor = (user: number) => pastIn(out, user)
  const first = (order: Uint32Array) => (_user: number, isSeen: (item: number) => boolean) => firstOf(order, k, item => !isSeen(item))
  const listers: Record<string, (user: number, isSeen: (item: number) => boolean) => ArrayLike<number>> = {
    model: listsFrom(model, popular, pastFor, k),
    'first scores': listsFrom({ ...model, weights: new Float64Array(0) }, popular, pastFor, k),
    popularity: first(popular),
    ...(lastWeek && { 'last week': first(byPopularity(lastWeek, popular)) })
  }
  const lists = Object.values(listers)
  const qualities = qualitiesOf(out, k, training.itemCount, lists.length, (user, isSeen) => lists.map(list => list(user, isSeen)))
  progress.clear()
  console.log(table(k, Object.fromEntries(Object.keys(listers).map((name, at) => [name, qualities[at] as Quality]))))
  return model
}

/** Compares on two splits, if the events have times. Returns the model of the first. */
const evaluate = ({ data, users, timed }: Dataset, k: number): Model => {
  const model = compare(holdOut(data), k)
  if (!timed) console.log('The events have no times, so they cannot be split by time.')
  else {
    const split = splitByTime(timed, users.length, data.itemCount)
    console.log(splitLine(split))
    compare(split, k, split.lastWeek)
  }
  return model
}

async function* linesOf({ data, users, items }: Dataset, model: Model, k: number, path: string, signal: AbortSignal) {
  const listOf = listsFrom(model, byPopularity(data), user => pastOf(data, user), k)
  for (let user = 0; user < users.length; user++) {
    const names = listOf(user).map(item => items[item])
    yield `${users[user]}\t${names.join()}\n`
    if (user % usersAtOnce > 0) continue
    progress.update({ step: 'write', file: path, records: user, unit: 'users', done: user, total: users.length })
    await turn()
    signal.throwIfAborted()
  }
}

const run = async ({ events, k, out }: Arguments) => {
  const write = out === undefined ? undefined : await outputAt(out, { events })
  const dataset = await read(events)
  const model = write ? train(dataset.data, { onProgress }) : evaluate(dataset, k)
  if (out !== undefined && write) {
    const signal = stopOnSignal()
    await write(linesOf(dataset, model, k, out, signal)).catch(error => {
      throw signal.aborted ? new Error('Stopped. Nothing was written.') : error
    })
  }
  progress.clear()
  console.log([readLine(dataset), learnedLine(model), costLine(performance.now() / 1000)].join('\n'))
}

try {
  await run(readArguments(process.argv.slice(2)))
} catch (error) {
  progress.clear()
  console.error((error as Error).message)
  process.exitCode ??= 1
}
