import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export const counter = <Label extends string>(registry: Registry, name: string, help: string, labelNames: Label[] = []) =>
  new Counter({ name, help, labelNames, registers: [registry] })

/** A gauge that is read when Prometheus scrapes it, and left out while its value is undefined. */
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

/** Upper bounds of the buckets, in seconds. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Measures durations in seconds. */
export const histogram = <Label extends string>(registry: Registry, name: string, help: string, labelNames: Label[]) =>
  new Histogram({ name, help, labelNames, buckets, registers: [registry] })
