// Node.js runs these in a thread of their own, so they have a file of their own.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const { transpile } = createRequire(import.meta.url)('../../test/helpers/transpiler.cjs')

export const resolve = (specifier, context, next) => {
  const isRelative = /^\.\.?\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')
  const source = isRelative && new URL(specifier.replace(/js$/, 'ts'), context.parentURL)
  return next(source && existsSync(source) ? source.href : specifier, context)
}

export const load = (url, context, next) => {
  if (!url.endsWith('.ts')) return next(url, context)
  const fileName = fileURLToPath(url)
  const { outputText, sourceMapText } = transpile(readFileSync(fileName, 'utf8'), { fileName })
  const { sourceRoot, ...map } = JSON.parse(sourceMapText)
  const base64 = Buffer.from(JSON.stringify({ ...map, file: fileName, sources: [fileName] })).toString('base64')
  const inline = `//# sourceMappingURL=data:application/json;charset=utf-8;base64,${base64}`
  return { format: 'module', source: outputText.replace(/\/\/# sourceMappingURL=\S*$/, () => inline), shortCircuit: true }
}
