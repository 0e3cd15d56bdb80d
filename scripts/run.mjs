// Runs a command in this folder: its source if the development tools are installed, otherwise the code built by `npm run build`.
const [name, ...rest] = process.argv.slice(2)
if (!name) {
  console.error('Usage: node scripts/run.mjs COMMAND [ARGUMENT...]')
  process.exit(1)
}
process.argv.splice(2, process.argv.length, ...rest)

const source = await import('tsx/esm/api').catch(() => undefined)
if (source) {
  source.register()
  // Processes that the command forks also run the source, whatever the working directory.
  process.execArgv.push('--import', import.meta.resolve('tsx'))
  await import(`./${name}.ts`)
} else {
  await import(`../dist/scripts/${name}.js`)
}
