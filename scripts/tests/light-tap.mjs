// Removes parts of tap that the suite does not need, because they cost time. Must be loaded before tap.
import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

// tap traces every promise to its test, to report an error that nobody catches in the right place. That costs more than a tenth of
// the processor time. Without it, such an error ends the process, so the suite fails as well.
const disabled = { enable: () => disabled, disable: () => disabled }
asyncHooks.createHook = () => disabled
syncBuiltinESMExports()

// Imports and trainings are forked with the loaders of this process. The one for mocks costs each of them 0.3 s, the one for
// TypeScript 0.4 s more than ours.
const light = `--import=${new URL('./light-typescript.mjs', import.meta.url)}`
process.execArgv = process.execArgv
  .filter(argument => !argument.includes('@tapjs/mock'))
  .map(argument => (argument.includes('@tapjs/typescript') ? light : argument))
