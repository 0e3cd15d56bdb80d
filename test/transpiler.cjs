const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const ts = require('typescript')

/** Every test file runs in a process of its own, and each would compile the whole service again: this keeps what came out. */
const folder = join(__dirname, '..', 'node_modules', '.cache', 'viewer-tests')
mkdirSync(folder, { recursive: true })

const kept = path => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

exports.create = ({ service: { config } }) => {
  const compilerOptions = { ...config.options, module: ts.ModuleKind.ESNext }
  const state = JSON.stringify([ts.version, compilerOptions])

  return {
    transpile: (code, { fileName }) => {
      const path = join(folder, createHash('sha256').update(state).update(fileName).update(code).digest('hex'))
      const known = kept(path)
      if (known) return known
      const { outputText, sourceMapText } = ts.transpileModule(code, { fileName, compilerOptions })
      // Renamed, so that another process never reads half of it.
      writeFileSync(`${path}.${process.pid}`, JSON.stringify({ outputText, sourceMapText }))
      renameSync(`${path}.${process.pid}`, path)
      return { outputText, sourceMapText }
    }
  }
}
