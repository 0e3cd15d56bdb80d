import type { TObject, TSchema } from '@sinclair/typebox'
import { rule } from '../validation/rules.js'

interface SettingFault {
  instancePath: string
  params: { missingProperty?: string }
}

/** One line per wrong setting, with its name and rule, and without its value, which may be a secret. */
export const explained = (error: unknown, schema: TObject) => {
  const { errors, message } = error as Error & { errors?: SettingFault[] }
  if (!errors) return message
  const names = new Set(errors.map(({ instancePath, params }) => params.missingProperty ?? instancePath.slice(1)))
  return [...names]
    .map(name => {
      const isMissing = errors.some(({ params }) => params.missingProperty === name)
      return `${name} is ${isMissing ? 'not set' : 'wrong'}: ${explanation(schema.properties[name] as TSchema)}`
    })
    .join('\n')
}

/** Each description states the whole rule, except for the bounds of a number. */
const explanation = (schema: TSchema) => (schema.type === 'integer' ? `${schema.description} (${rule(schema)})` : schema.description)
