import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serving } from '../../bench/servers/server.js'
import { freePort } from '../../free-port.js'
import { killAtExit } from '../../kill-at-exit.js'

export const folder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'prometheus')

export type Labels = Record<string, string>
/** A series with its values in time order, each with its time in seconds. NaN and infinities are the strings of Prometheus. */
export interface Series {
  metric: Labels
  values: [time: number, value: string][]
}

export interface Rule {
  type: 'alerting' | 'recording'
  name: string
  query: string
  lastError?: string
}

/** The example configuration, made to scrape these ports every second. */
const configFor = async (ports: number[]) => {
  const example = await readFile(join(folder, 'prometheus.yaml'), 'utf8')
  const targets = ports.map(port => `'127.0.0.1:${port}'`).join(', ')
  return example
    .replaceAll('15s', '1s')
    .replace('- rules.yaml', `- '${join(folder, 'rules.yaml')}'`)
    .replace(/targets: .*/, `targets: [${targets}]`)
}

/** Runs Prometheus with the example configuration and the rules. */
export const startPrometheus = async (binary: string, ports: number[]) => {
  const data = await mkdtemp(join(tmpdir(), 'viewer-prometheus-'))
  await writeFile(join(data, 'prometheus.yaml'), await configFor(ports))
  const origin = `http://127.0.0.1:${await freePort()}`
  const options = [
    `--config.file=${data}/prometheus.yaml`,
    `--storage.tsdb.path=${data}/tsdb`,
    `--web.listen-address=${new URL(origin).host}`
  ]
  const child = spawn(binary, [...options, '--log.level=error'], { stdio: ['ignore', 'ignore', 'inherit'] })
  killAtExit(child)
  const exit = once(child, 'exit')
  await serving(child, `${origin}/-/ready`)

  const ask = async <T>(path: string, parameters: Labels = {}): Promise<T> => {
    const answer = await fetch(`${origin}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`${parameters.query ?? path}: ${error}`)
    return data
  }
  return {
    /** The values of an expression between two times, in seconds. */
    range: async (query: string, start: number, end: number, step: number) => {
      const { result } = await ask<{ result: Series[] }>('query_range', { query, start: `${start}`, end: `${end}`, step: `${step}` })
      return result
    },
    rules: async () => {
      const { groups } = await ask<{ groups: { rules: Rule[] }[] }>('rules')
      return groups.flatMap(({ rules }) => rules)
    },
    stop: async () => {
      child.kill('SIGTERM')
      await exit
      await rm(data, { recursive: true, force: true })
    }
  }
}
export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>
