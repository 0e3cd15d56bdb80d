import { cpSync } from 'node:fs'

const [to = 'dist'] = process.argv.slice(2)

// The compiled demo reads its data from its own folder, like the source.
const isData = path => path.endsWith('demo') || /\.(json|ndjson)$/.test(path)
cpSync('demo', `${to}/demo`, { recursive: true, filter: isData })
