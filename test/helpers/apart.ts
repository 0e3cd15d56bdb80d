/**
 * The command line of a Node process of its own, to be spread into `spawn`. What tap puts into each would count what it covers:
 * that doubles the time of its start, and counts of its code and of the same code as tap compiles it would be false together.
 */
export const apart = (...args: string[]): [command: string, args: string[]] => ['env', ['-u', 'NODE_OPTIONS', process.execPath, ...args]]
