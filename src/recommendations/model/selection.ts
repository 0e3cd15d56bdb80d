/** Moves the `count` items with the highest values to the front (quickselect). Returns how many there are. Ties go to the lower item. */
export const selectBest = (items: Uint32Array, size: number, values: Float64Array, count: number) => {
  if (size <= count) return size
  const better = (a: number, b: number) => {
    const one = values[a] as number
    const other = values[b] as number
    return one > other || (one === other && a < b)
  }
  let low = 0
  let high = size - 1
  while (low < high) {
    const pivot = items[(low + high) >> 1] as number
    let left = low
    let right = high
    while (left <= right) {
      while (better(items[left] as number, pivot)) left++
      while (better(pivot, items[right] as number)) right--
      if (left > right) break
      const moved = items[left] as number
      items[left++] = items[right] as number
      items[right--] = moved
    }
    if (count - 1 <= right) high = right
    else if (count - 1 >= left) low = left
    else break
  }
  return count
}
