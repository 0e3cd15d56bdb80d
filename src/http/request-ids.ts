import { randomFillSync } from 'node:crypto'

const size = 16
const random = Buffer.alloc(256 * size)
let used = random.length

/** As random as a UUID, which is put together of twenty pieces that a request would hold for as long as it waits. */
export const requestId = () => {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  used += size
  return random.toString('hex', used - size, used)
}
