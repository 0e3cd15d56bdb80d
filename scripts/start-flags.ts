import { readFileSync } from 'node:fs'

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }

/** The Node.js flags of `npm start`. */
export const startFlags = scripts.start.split(' ').filter(word => word.startsWith('--'))
