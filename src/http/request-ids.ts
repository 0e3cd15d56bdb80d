import { randomFillSync } from 'node:crypto'

const size = 16
const random = Buffer.alloc(256 * size)
let used = random.length

/** As random as a UUID, but one flat string: a UUID from Node consists of twenty pieces, which a waiting request keeps in memory. */
export const requestId = () => {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  used += size
  return random.toString('hex', used - size, used)
}
