import { cpSync } from 'node:fs'

// The compiled demo reads its data from its own folder, like the source.
const isData = path => path.endsWith('demo') || /\.(json|ndjson)$/.test(path)
cpSync('demo', 'dist/demo', { recursive: true, filter: isData })
