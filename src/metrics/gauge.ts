import { Gauge, type Registry } from 'prom-client'

/** A number that is read when it is asked for; nothing is told of one that is not there. */
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
