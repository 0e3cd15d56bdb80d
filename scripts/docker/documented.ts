import { readFile } from 'node:fs/promises'

/** The commands for Docker in docs/operations.md, each to be run as it is written there. */
export class Documented {
  readonly #unused: string[]

  constructor(lines: string[]) {
    this.#unused = lines
  }

  static async read(path: string) {
    const blocks = [...(await readFile(path, 'utf8')).matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => String(block))
    const lines = blocks.filter(block => block.includes('docker compose')).flatMap(block => block.trim().split('\n'))
    return new Documented(lines)
  }

  /** The command with these words. Each can be taken once. */
  take(words: string) {
    const found = this.#unused.findIndex(line => line.includes(words))
    if (found < 0) throw new Error(`docs/operations.md has no command with ${words}`)
    return this.#unused.splice(found, 1).join()
  }

  /** The commands that nobody has taken. */
  get unused() {
    return this.#unused.join('\n')
  }
}
