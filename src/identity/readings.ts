import { minutes } from '../time.js'

/** Operators who edit the database by hand, and processes and commands that are killed, raise no revision. */
const rereadEvery = minutes(10)

/** Knows what was read at which revision. */
export class Readings<Kind> {
  private readonly last = new Map<Kind, { revision: number; at: number }>()

  /** Reads what has another revision than at its last reading, or was read long ago. */
  async reread(kind: Kind, revision = 0, read: () => Promise<void>) {
    const at = performance.now()
    const last = this.last.get(kind)
    if (last?.revision === revision && at - last.at < rereadEvery) return
    await read()
    this.last.set(kind, { revision, at })
  }
}
