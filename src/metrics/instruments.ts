import { Gauge, type Metric, type Registry } from 'prom-client'

/** A gauge that is read when Prometheus scrapes. It is left out while its value is undefined. */
export const gauge = (registry: Registry, name: string, help: string, read: () => number | undefined) =>
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      const value = read()
      if (value === undefined) this.remove()
      else this.set(value)
    }
  })

/** Upper bounds of the buckets of a duration, in seconds. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export type Observe = (value: number) => void

type Labels = Record<string, string | number>

class Series {
  /** One count per bucket. The last bucket has no bound. */
  private readonly counts = new Float64Array(durationBounds.length + 1)
  private sum = 0
  count = 0

  constructor(private readonly labels: Labels) {}

  readonly observe: Observe = value => {
    let bucket = 0
    while (value > (durationBounds[bucket] as number)) bucket++
    ;(this.counts[bucket] as number)++
    this.sum += value
    this.count++
  }

  /** In the format of Prometheus, whose buckets are cumulative. */
  values(name: string) {
    const { labels, counts, sum, count } = this
    let cumulated = 0
    const buckets = [...durationBounds, '+Inf'].map((le, bucket) => {
      cumulated += counts[bucket] as number
      return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: cumulated }
    })
    return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: count }]
  }
}

/**
 * Measures durations in seconds. Returns a function from labels to their `Observe`. Keep that where speed matters: prom-client looks it up at every observation, which takes a
 * tenth of the time of a light answer.
 */
export const histogram = (registry: Registry, name: string, help: string) => {
  const known = new Map<string, Series>()
  const get = async () => ({
    name,
    help,
    type: 'histogram',
    aggregator: 'sum',
    values: [...known.values()].filter(({ count }) => count > 0).flatMap(series => series.values(name))
  })
  registry.registerMetric({ name, get } as unknown as Metric)
  return (labels: Labels): Observe => {
    // Prometheus rejects two series with the same labels.
    const key = Object.values(labels).join(' ')
    const series = known.get(key) ?? new Series(labels)
    known.set(key, series)
    return series.observe
  }
}
