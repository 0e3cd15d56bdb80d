import { type Neighbours, Rows, selectBest } from './neighbours.js'

/** For each item (a row), the items that may be watched next, in ascending order, with a weight in each table. */
export interface Links {
  /** Where each row begins, and where the last one ends. */
  starts: Uint32Array
  targets: Uint32Array
  tables: number
  /** The weights of each target in all tables, one after the other. */
  weights: Float32Array
}

/** Joins tables. A target that is missing from a table has the weight 0 in it. */
export const joined = (tables: Neighbours[]): Links => {
  const rowCount = Math.max(...tables.map(({ starts }) => starts.length - 1))
  const starts = new Uint32Array(rowCount + 1)
  const room = tables.reduce((sum, { targets }) => sum + targets.length, 0)
  const targets = new Uint32Array(room)
  const weights = new Float32Array(room * tables.length)
  // Where the next target of each table is.
  const places = new Uint32Array(tables.length)
  let size = 0
  for (let row = 0; row < rowCount; row++) {
    for (;;) {
      let target = Number.POSITIVE_INFINITY
      tables.forEach((table, at) => {
        const place = places[at] as number
        if (place < (table.starts[row + 1] as number)) target = Math.min(target, table.targets[place] as number)
      })
      if (target === Number.POSITIVE_INFINITY) break
      tables.forEach((table, at) => {
        const place = places[at] as number
        if (place === table.starts[row + 1] || table.targets[place] !== target) return
        weights[size * tables.length + at] = table.weights[place] as number
        places[at] = place + 1
      })
      targets[size++] = target
    }
    starts[row + 1] = size
  }
  return { starts, targets: targets.slice(0, size), tables: tables.length, weights: weights.slice(0, size * tables.length) }
}

/** The `keep` targets of each row with the highest total weight in the `counted` tables. */
export const heaviest = ({ starts, targets, tables, weights }: Links, keep: number, counted: readonly number[]): Links => {
  const firsts = new Uint32Array(starts.length)
  let widest = 0
  for (let row = 0; row < starts.length - 1; row++) {
    const width = (starts[row + 1] as number) - (starts[row] as number)
    firsts[row + 1] = (firsts[row] as number) + Math.min(width, keep)
    widest = Math.max(widest, width)
  }
  const kept = { targets: new Uint32Array(firsts.at(-1) as number), weights: new Float32Array((firsts.at(-1) as number) * tables) }
  const order = new Uint32Array(widest)
  const sums = new Float64Array(widest)
  for (let row = 0; row < starts.length - 1; row++) {
    const start = starts[row] as number
    const width = (starts[row + 1] as number) - start
    for (let at = 0; at < width; at++) {
      order[at] = at
      sums[at] = counted.reduce((sum, table) => sum + Math.max(weights[(start + at) * tables + table] as number, 0), 0)
    }
    const count = selectBest(order, width, sums, keep)
    order
      .subarray(0, count)
      .sort()
      .forEach((at, nth) => {
        const place = (firsts[row] as number) + nth
        kept.targets[place] = targets[start + at] as number
        kept.weights.set(weights.subarray((start + at) * tables, (start + at + 1) * tables), place * tables)
      })
  }
  return { starts: firsts, tables, ...kept }
}

/** One of the tables, without targets of weight 0. */
export const tableAt = ({ starts, targets, tables, weights }: Links, table: number): Neighbours => {
  const rows = new Rows(starts.length - 1)
  for (let row = 0; row < starts.length - 1; row++) {
    for (let place = starts[row] as number; place < (starts[row + 1] as number); place++) {
      const weight = weights[place * tables + table] as number
      if (weight !== 0) rows.add(targets[place] as number, weight)
    }
    rows.close()
  }
  return rows.all()
}

/** The sum of two tables, the second one multiplied by `share`. */
export const mixed = (one: Neighbours, other: Neighbours, share: number): Neighbours => {
  const { starts, targets, weights } = joined([one, other])
  const sums = new Float32Array(targets.length).map((_, at) => (weights[2 * at] as number) + share * (weights[2 * at + 1] as number))
  return { starts, targets, weights: sums }
}
