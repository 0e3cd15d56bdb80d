import type { Goal } from '../measures/goals.js'
import type { PageCost } from '../measures/page-times.js'
import { grouped, spread } from '../report/format.js'
import { lineChart } from '../report/line-chart.js'
import type { Section } from '../report/section.js'

/** What a page costs at each size. */
export interface Curve {
  name: string
  costs: PageCost[]
}

interface Grown {
  title: string
  remark: string
  file: string
  /** What there are more and more of. */
  of: string
  sizes: number[]
  curves: Curve[]
  /** Rows about the largest size alone. */
  others?: string[][]
  goals: Goal[]
}

/** The time at the largest of some sizes to that at the smallest. */
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
    alt: `${title}, by the number of ${of}`,
    svg: lineChart({
      title,
      xTitle: of,
      yTitle: 'ms',
      lines: curves.map(({ name, costs }) => ({ name, points: costs.map(({ time }, i) => ({ x: sizes[i] ?? Number.NaN, y: time })) }))
    })
  }
})
