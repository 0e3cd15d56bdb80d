import fp from 'fastify-plugin'
import { counter, gauge } from '../src/metrics/instruments.js'
import { Mover } from '../src/sync/index.js'
import { poll } from './preparation.js'

/** Moves viewers' elements of replaced contents to the new ones, in the background. */
export default fp(
  async app => {
    const { catalogue, jobData: data, log, metrics } = app
    const help = 'Elements of viewers that this process has moved from replaced contents to their replacements, by list'
    const moved = counter(metrics, 'replaced_elements_moved_total', help, ['list'])
    const moving = new Mover({ catalogue, data, onMoved: (list, count) => moved.inc({ list }, count) })
    gauge(metrics, 'replaced_elements_due', '1 while elements of replaced contents may be left to move', () => Number(moving.isDue))

    const check = async () => {
      const began = Date.now()
      const moved = await moving.check(app.closing)
      if (moved > 0) log.info({ moved, took: Date.now() - began }, 'moved elements of replaced contents')
    }
    const onFailure = (err: unknown) => log.warn({ err }, 'the elements of replaced contents could not be moved, trying again every second')
    app.preparations.push(async () => app.inBackground(poll(check, app.closing, onFailure)))
  },
  { name: 'moving', dependencies: ['metrics', 'mongo', 'preparation', 'catalogue'] }
)
