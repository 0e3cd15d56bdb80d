/** A binary search for the first of `count` numbers that passes. All after it must pass, too. Returns `count` if none does. */
export const firstWhere = (count: number, isTrue: (n: number) => boolean) => {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}
