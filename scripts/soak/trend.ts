interface Point {
  minute: number
  value: number
}

/** The slope of a value that is measured repeatedly. */
export class Trend {
  private readonly points: Point[] = []
  private readonly began = performance.now()

  add(value: number) {
    this.points.push({ minute: (performance.now() - this.began) / 60_000, value })
  }

  /** A line fitted to the measurements, without the first quarter as warm-up. */
  line() {
    const end = this.points.at(-1)?.minute ?? 0
    const points = this.points.filter(({ minute }) => minute >= end / 4)
    const middle = { minute: mean(points.map(({ minute }) => minute)), value: mean(points.map(({ value }) => value)) }
    const along = points.map(({ minute, value }) => (minute - middle.minute) * (value - middle.value))
    const apart = points.map(({ minute }) => (minute - middle.minute) ** 2)
    return { perMinute: sum(along) / sum(apart), minutes: end - (points[0]?.minute ?? 0), last: points.at(-1)?.value ?? 0 }
  }
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const mean = (values: number[]) => sum(values) / values.length
