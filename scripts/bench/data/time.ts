/** The generated data end when the benchmark begins, so that views are as recent as those of a living service. */
const newest = Date.now()

export const ago = (time: number) => new Date(newest - time)
