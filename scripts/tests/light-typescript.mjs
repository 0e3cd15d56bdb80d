// The loader of processes that tests fork. Gives the code that tap's own loader gives, so that coverage adds up, but starts in
// half of the time: it neither reads the configuration of TypeScript nor loads the compiler.
import { register } from 'node:module'

register('./light-typescript-hooks.mjs', import.meta.url)
