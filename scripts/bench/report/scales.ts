/** Round values from 0 to at least the largest, in about five steps. */
export const ticks = (largest: number) => {
  const rough = largest / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough) as number
  const count = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, n) => Number((n * step).toPrecision(12)))
}

/** Maps a value between `least` and `most` to a position between `from` and `to`. */
export const linear = (least: number, most: number, from: number, to: number) => (value: number) =>
  from + ((value - least) / (most - least)) * (to - from)

/** The same on a logarithmic scale. If there is only one value, it lies in the middle. */
export const logarithmic = (least: number, most: number, from: number, to: number) => (value: number) =>
  least === most ? (from + to) / 2 : linear(Math.log(least), Math.log(most), from, to)(Math.log(value))

/** Moves places apart so that they keep their order and are at least the gap apart. */
export const apart = (places: number[], gap: number) => {
  const moved = [...places]
  let last = Number.NEGATIVE_INFINITY
  for (const i of [...places.keys()].sort((a, b) => (places[a] as number) - (places[b] as number))) {
    last = Math.max(moved[i] as number, last + gap)
    moved[i] = last
  }
  return moved
}
