import t from 'tap'
import { demoHistory } from '../../demo/history.js'

const viewers = (['outdoors', 'stories', 'evenings', 'family'] as const).map((taste, n) => ({ id: n + 1, taste }))
const dates = ['2026-01-03T12:00:00Z', '2026-03-01T00:00:00Z', '2026-06-30T23:59:59Z', '2027-11-29T07:00:00Z', '2028-12-31T23:00:00Z']

interface Line {
  user_id: number
  played_at: string[]
  created_at: string
  updated_at: string
}

t.test('each viewer of the demo has plays in this year and in the last one, whenever it is filled', async t => {
  for (const date of dates) {
    const now = new Date(date)
    const { 'history.ndjson': text = '' } = await demoHistory(viewers, now)
    const lines: Line[] = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    t.notOk(
      lines.some(({ played_at, updated_at }) => [...played_at, updated_at].some(at => Date.parse(at) > now.getTime())),
      'nothing is in the future'
    )
    t.notOk(
      lines.some(({ played_at, created_at }) => played_at.some(at => at < created_at)),
      'nothing was watched before it was begun'
    )
    for (const { id, taste } of viewers) {
      const plays = lines.flatMap(({ user_id, played_at }) => (user_id === id ? played_at : []))
      const inYear = (year: number) => plays.filter(at => new Date(at).getUTCFullYear() === year).length
      const year = now.getUTCFullYear()
      t.ok(inYear(year) > 0 && inYear(year - 1) > 3, `${taste} on ${date}`)
    }
  }
})
