import { Counter, Gauge, type Registry } from 'prom-client'
import { type ImportKind, importKinds } from '../../schemas/import.js'

/** The series of each begins at 0, because Prometheus sees no increase in a series that appears with the value 1. */
const statuses = [200, 400, 401, 409, 500, 503]

export const importMetrics = (registry: Registry) => {
  const imports = new Counter({
    name: 'imports_total',
    help: 'Imports over HTTP, by file and status of the response',
    labelNames: ['file', 'status'],
    registers: [registry]
  })
  const duration = new Gauge({
    name: 'import_duration_seconds',
    help: 'Duration of the last successful import over HTTP, including its upload, by file',
    labelNames: ['file'],
    registers: [registry]
  })
  for (const file of importKinds) for (const status of statuses) imports.inc({ file, status }, 0)

  /** Call it after the response to an import. */
  return (file: ImportKind, status: number, milliseconds: number) => {
    imports.inc({ file, status })
    if (status === 200) duration.set({ file }, milliseconds / 1000)
  }
}
