import { cpSync } from 'node:fs'

// What the compiled demo reads lies beside it, as its source does.
const isData = path => path.endsWith('demo') || /\.(json|ndjson)$/.test(path)
cpSync('demo', 'dist/demo', { recursive: true, filter: isData })
