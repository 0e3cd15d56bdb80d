import { panels } from './deploy/grafana/board.js'
import { drawBoard } from './deploy/grafana/picture/draw.js'
import { withVariables } from './deploy/grafana/queries.js'
import type { Series } from './deploy/prometheus/server.js'
import { withServiceUnderLoad } from './deploy/prometheus/service-under-load.js'
import { prometheusPrograms } from './deploy/prometheus.js'
import { messageOf } from './failures.js'

const [file = 'docs/board.webp'] = process.argv.slice(2)
const seconds = 90
/** Seconds between two points of a line. */
const step = 2

/** Draws the board of a service under load, so that a change to it can be looked at. */
try {
  const { server } = await prometheusPrograms(console.log)
  await withServiceUnderLoad(server, { seconds, say: console.log }, async ({ prometheus, began, ended }) => {
    const answered = []
    for (const panel of panels) {
      const results: Series[][] = []
      for (const { expr } of 'targets' in panel ? panel.targets : [])
        results.push(await prometheus.range(withVariables(expr, '15s'), began, ended, step))
      answered.push({ panel, results })
    }
    await drawBoard({ began, ended, panels: answered }, file, console.log)
  })
  console.log(`The board is in ${file}`)
} catch (error) {
  console.error(messageOf(error))
  process.exitCode = 1
}
