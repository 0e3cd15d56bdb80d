import { together } from './together.js'

await together('client')
