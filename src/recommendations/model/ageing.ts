/** Weights that halve with every `halfLife` newer elements. With `Infinity`, no element ages. */
export const aged = (size: number, halfLife: number, weights?: ArrayLike<number>) => {
  const result = new Float64Array(size)
  for (let at = 0; at < size; at++) result[at] = (weights ? (weights[at] as number) : 1) * 2 ** -((size - 1 - at) / halfLife)
  return result
}
