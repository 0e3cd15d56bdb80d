import { Gauge, type Registry } from 'prom-client'

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
