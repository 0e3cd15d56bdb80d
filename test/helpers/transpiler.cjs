const { createHash } = require('node:crypto')
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')

// Keeps what was compiled for all test processes. By tap alone each one compiles the service again: 6.1 instead of 3.3 s of
// processor time for one file of tests.
const root = join(__dirname, '../..')
const folder = join(root, 'node_modules/.cache/viewer/transpiled')
mkdirSync(folder, { recursive: true })

const config = readFileSync(join(root, 'tsconfig.json'), 'utf8')
const { version } = JSON.parse(readFileSync(join(root, 'node_modules/typescript/package.json'), 'utf8'))
const state = JSON.stringify([version, config, readFileSync(__filename, 'utf8')])

const kept = path => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

const compiled = (code, fileName) => {
  // Loaded only where something has changed: that takes as long as to load the service.
  const ts = require('typescript')
  const { compilerOptions } = JSON.parse(config)
  const options = { ...ts.convertCompilerOptionsFromJson(compilerOptions, root).options, noEmit: false, module: ts.ModuleKind.ESNext }
  const { outputText, sourceMapText } = ts.transpileModule(code, { fileName, compilerOptions: options })
  return { outputText, sourceMapText }
}

/** The JavaScript of a file, and its source map. */
const transpile = (code, { fileName }) => {
  const path = join(folder, createHash('sha256').update(state).update(fileName).update(code).digest('hex'))
  const known = kept(path)
  if (known) return known
  const made = compiled(code, fileName)
  // Renamed, so that another process never reads half of it.
  writeFileSync(`${path}.${process.pid}`, JSON.stringify(made))
  renameSync(`${path}.${process.pid}`, path)
  return made
}

exports.transpile = transpile
/** What the loader of tap calls. */
exports.create = () => ({ transpile })
