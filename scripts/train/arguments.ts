import { parseArgs } from 'node:util'
import { invocationOf } from '../invocation.js'

const command = invocationOf('train')
const usage = `Usage: ${command.replace(/ --$/, '')}
       ${command} --events-out DIR
       ${command} --model-in FILE
  --events-out DIR  write the histories and the settings for a training on Apache Spark, without training
  --model-in FILE   store a model that was trained elsewhere`

export interface Arguments {
  eventsOut: string | undefined
  modelIn: string | undefined
}

const given = (args: string[]) => {
  try {
    return parseArgs({ args, options: { 'events-out': { type: 'string' }, 'model-in': { type: 'string' } } }).values
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${usage}`)
  }
}

export const readArguments = (args: string[]): Arguments => {
  const { 'events-out': eventsOut, 'model-in': modelIn } = given(args)
  if (eventsOut !== undefined && modelIn !== undefined) throw new Error(`Either --events-out or --model-in\n${usage}`)
  if (eventsOut === '' || modelIn === '') throw new Error(`The path is empty\n${usage}`)
  return { eventsOut, modelIn }
}
