import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from '../cache.js'
import { runProgram } from '../clients/run-program.js'
import { connector } from './versions.js'

const folder = fileURLToPath(new URL('../../deploy/spark', import.meta.url))
const requirements = join(folder, 'requirements.txt')

type Say = (line: string) => void

/** A folder with Python and the packages of the job, which are installed when they are first needed. */
const environment = async (say: Say) => {
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex')
  const path = join(cacheFolder('spark'), version.slice(0, 12))
  const ready = join(path, 'ready')
  if (existsSync(ready)) return path
  say('installing PySpark')
  await rm(path, { recursive: true, force: true })
  await mkdir(path, { recursive: true })
  await runProgram(['python3', '-m', 'venv', '.'], { cwd: path })
  await runProgram(['bin/pip', 'install', '--quiet', '-r', requirements], { cwd: path })
  await mkdir(ready)
  return path
}

/** Starts the job with two workers on this machine, as README.md says. */
export const runJob = async (args: string[], temporary: string, say: Say, env: NodeJS.ProcessEnv = {}) => {
  const path = await environment(say)
  const python = join(path, 'bin', 'python')
  const archive = join(temporary, 'training.zip')
  await rm(archive, { force: true })
  await runProgram([python, '-m', 'zipfile', '-c', archive, 'training'], { cwd: folder })
  const options = ['--master', 'local[2]', '--driver-memory', '2g', '--py-files', archive, '--conf', `spark.local.dir=${temporary}`]
  const packages = args.includes('--mongodb') ? ['--packages', connector] : []
  await runProgram([join(path, 'bin', 'spark-submit'), ...options, ...packages, 'train.py', ...args], {
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
