import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type HoldOut, type Quality, qualitiesOf, Ranker } from '../../src/recommendations/model/index.js'
import type { StoredModel } from '../../src/recommendations/stored-model.js'
import { installed, runProgram } from '../processes.js'
import { root } from '../root.js'

/** From Maven Central. The versions of PyPI packages are in deploy/spark/requirements.txt. */
export const connector = 'org.mongodb.spark:mongo-spark-connector_2.13:10.5.0'

const folder = join(root, 'deploy/spark')
const requirements = join(folder, 'requirements.txt')

/** A Python with the packages of the job, which are installed when they are first needed. */
const pythonWithPackages = async () => {
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
  const install = ['bin/pip', 'install', '--quiet', '-r', requirements]
  const submit = await installed(join('spark', version.slice(0, 12)), 'bin/spark-submit', ['python3', '-m', 'venv', '.'], install)
  return { submit, python: join(dirname(submit), 'python') }
}

/** Starts the job with two workers on this machine, as described in README.md. */
export const runJob = async (args: string[], temporary: string, env: NodeJS.ProcessEnv = {}) => {
  const { submit, python } = await pythonWithPackages()
  const archive = join(temporary, 'training.zip')
  await rm(archive, { force: true })
  await runProgram([python, '-m', 'zipfile', '-c', archive, 'training'], { cwd: folder })
  const options = ['--master', 'local[2]', '--driver-memory', '2g', '--py-files', archive, '--conf', `spark.local.dir=${temporary}`]
  const packages = args.includes('--mongodb') ? ['--packages', connector] : []
  await runProgram([submit, ...options, ...packages, 'train.py', ...args], {
    cwd: folder,
    env: {
      ...process.env,
      PYSPARK_PYTHON: python,
      PYTHONDONTWRITEBYTECODE: '1',
      OPENBLAS_NUM_THREADS: '1',
      SPARK_LOCAL_IP: '127.0.0.1',
      ...env
    }
  })
}

const depth = 10

/** Holds out the last title of each viewer, which the model has to find. */
export const splitOff = (histories: number[][]) => ({
  training: histories.map(history => history.slice(0, -1)),
  last: histories.map(history => history.at(-1) as number)
})

/** How well a stored model finds the last title of each viewer among all titles, whose ids are 1 to `titles`. */
export const qualityOf = (model: StoredModel, training: number[][], last: number[], titles: number): Quality => {
  const { ids, watchedCount } = model
  const starts = new Uint32Array(training.length + 1)
  training.forEach((history, user) => {
    starts[user + 1] = (starts[user] as number) + history.length
  })
  const out: HoldOut = {
    training: { itemCount: titles + 1, starts, items: Uint32Array.from(training.flat()) },
    heldStarts: new Uint32Array(training.length + 1).map((_, user) => user),
    held: Uint32Array.from(last)
  }
  const itemOf = new Map([...ids].map((id, item) => [id, item]))
  const ranker = new Ranker(model)
  const [quality] = qualitiesOf(out, depth, titles, 1, (user, isSeen) => {
    const items = (training[user] as number[]).map(id => itemOf.get(id) as number)
    const best = ranker.best({ items }, depth, item => item < watchedCount && !isSeen(ids[item] as number))
    return [best.map(({ item }) => ids[item] as number)]
  })
  return quality as Quality
}

/** How much worse a Spark model may be than that of the service. */
const tolerance = 0.01

export const isAsGood = (one: Pick<Quality, 'hits' | 'ndcg'>, other: Pick<Quality, 'hits' | 'ndcg'>) =>
  one.hits >= other.hits * (1 - tolerance) && one.ndcg >= other.ndcg * (1 - tolerance)
