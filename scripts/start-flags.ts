import { readFileSync } from 'node:fs'

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { scripts: { start: string } }

/** With what `npm start` has Node run the service. */
export const startFlags = scripts.start.split(' ').filter(word => word.startsWith('--'))
