// Runs a command of this folder: the source where the development tools are installed, else what `npm run build` made of it.
const [name, ...rest] = process.argv.slice(2)
process.argv.splice(2, process.argv.length, ...rest)

const source = await import('tsx/esm/api').catch(() => undefined)
if (source) {
  source.register()
  // Processes that the command forks run the source too, from whatever folder it is called.
  process.execArgv.push('--import', import.meta.resolve('tsx'))
  await import(`./${name}.ts`)
} else {
  await import(`../dist/scripts/${name}.js`)
}
