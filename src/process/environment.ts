import type { TObject } from '@sinclair/typebox'

/** The variables that are set. An empty variable counts as not set, since compose files and shells cannot leave one out. */
export const given = (schema: TObject, env: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(schema.properties).flatMap(([name, { type }]) => {
      const value = env[name]
      if (value === undefined || value === '') return []
      return [[name, type === 'integer' && /^\d+$/.test(value) ? Number(value) : value]]
    })
  )

/** The environment variables, including those of a `.env` file. */
export const environment = (): NodeJS.ProcessEnv => {
  try {
    process.loadEnvFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  return process.env
}
