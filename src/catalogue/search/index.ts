export { type Ranks, Search } from './search.js'
export type { Pause } from './word-index.js'
export { fold, isSearch, wordsOf } from './words.js'
