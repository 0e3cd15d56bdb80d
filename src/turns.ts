export class QueueFull extends Error {}

/** Lets so many jobs run at once and so many wait; one more is refused with QueueFull. */
export const turns = (atOnce: number, waiting: number) => {
  const queue: (() => void)[] = []
  let running = 0

  return async <T>(job: () => Promise<T>): Promise<T> => {
    if (running < atOnce) running++
    else if (queue.length < waiting) await new Promise<void>(resolve => queue.push(resolve))
    else throw new QueueFull('Too many jobs wait already')
    try {
      return await job()
    } finally {
      // A job that ends hands its place to the next one that waits.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
