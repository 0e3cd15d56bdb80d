/**
 * A command line whose Node processes are apart from the test, to be spread into `spawn`. It drops NODE_OPTIONS, with which tap measures
 * coverage in every process: tap puts it back into the environment that `spawn` is given. Measuring would double the startup time.
 */
export const commandApart = (command: string, ...args: string[]): [command: string, args: string[]] => [
  'env',
  ['-u', 'NODE_OPTIONS', command, ...args]
]

/** The same of a single Node process. */
export const apart = (...args: string[]) => commandApart(process.execPath, ...args)
