import { together } from './together.js'

await together('import')
