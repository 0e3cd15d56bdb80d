import type { Goal } from '../measures/goals.js'
import type { PageCost } from '../measures/page-times.js'
import { grouped, spread } from '../report/format.js'
import { lineChart } from '../report/line-chart.js'
import type { Section } from '../report/section.js'

/** The cost of a page at each size. */
export interface Curve {
  name: string
  costs: PageCost[]
}

interface Grown {
  title: string
  remark: string
  file: string
  /** What grows. */
  of: string
  sizes: number[]
  curves: Curve[]
  /** Further rows, about the largest size only. */
  others?: string[][]
  goals: Goal[]
}

/** The ratio of the time at a size, by default the largest, to that at the smallest. */
export const growthOf = ({ costs }: Curve, to = costs.length - 1) =>
  (costs[to]?.time.median ?? Number.NaN) / (costs[0]?.time.median ?? Number.NaN)

export const curvesSection = ({ title, remark, file, of, sizes, curves, others = [], goals }: Grown): Section => ({
  title,
  remark,
  table: [
    ['', of, 'ms', 'operations'],
    ...curves.flatMap(({ name, costs }) =>
      costs.map(({ time, operations }, i) => [name, grouped(sizes[i] ?? Number.NaN), spread(time), String(operations)])
    ),
    ...others
  ],
  goals,
  figures: { of, sizes, curves },
  picture: {
    file,
    alt: title,
    svg: lineChart({
      title,
      xTitle: of,
      yTitle: 'ms',
      lines: curves.map(({ name, costs }) => ({ name, points: costs.map(({ time }, i) => ({ x: sizes[i] ?? Number.NaN, y: time })) }))
    })
  }
})
