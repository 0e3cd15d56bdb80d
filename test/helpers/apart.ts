/**
 * The command line of a separate Node process, to be spread into `spawn`. It drops NODE_OPTIONS, with which tap measures coverage in
 * every process. Measuring would double the startup time, and counts of compiled code would spoil those of the code that tap compiles
 * itself.
 */
export const apart = (...args: string[]): [command: string, args: string[]] => ['env', ['-u', 'NODE_OPTIONS', process.execPath, ...args]]
