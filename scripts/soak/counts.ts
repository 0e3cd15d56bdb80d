/** How often each kind of something occurred. */
export type Counts = Record<string, number>

export const increment = (counts: Counts, kind: string | number) => {
  counts[kind] = (counts[kind] ?? 0) + 1
}

/** `3 x 200, 1 x 503` */
export const inWords = (counts: Counts | Map<string, number>) =>
  (counts instanceof Map ? [...counts] : Object.entries(counts)).map(([kind, count]) => `${count} x ${kind}`).join(', ')
