import { together } from './together.js'

await together('catalogue', 'recommend', 'parts')
