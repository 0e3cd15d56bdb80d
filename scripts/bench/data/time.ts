/** Generated data ends when the benchmark starts, so views are as recent as those of a real service. */
const newest = Date.now()

export const ago = (time: number) => new Date(newest - time)
