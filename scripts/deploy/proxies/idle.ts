import { promised } from '../../soak/promises.js'
import { type Program, startProxy } from './program.js'
import { startRecorder } from './recorder.js'
import { sender } from './send.js'

/** The service closes idle connections after this time, in milliseconds. */
const serviceClosesAfter = 72_000

/** Tests that the proxy never sends a request into a connection that the service is about to close. Takes a minute or so. */
export const idle = async (program: Program) => {
  const recorder = await startRecorder()
  const proxy = await startProxy(program, [recorder.port, recorder.port, recorder.port])
  const { send, close } = sender(proxy)
  try {
    await Promise.all(Array.from({ length: 20 }, () => send({ path: '/terms' })))
    const idled = await recorder.allClosed(serviceClosesAfter)
    const longest = Math.max(0, ...idled)
    return promised(
      program.keptIdle === 0
        ? 'the proxy closes idle connections before the service does'
        : `the proxy closes idle connections before the service does, except ${program.keptIdle}`,
      idled.length > 0 && recorder.stillOpen() <= program.keptIdle && longest < serviceClosesAfter,
      `after ${Math.round(longest / 1000)} s at most, ${recorder.stillOpen()} left`
    )
  } finally {
    close()
    await proxy.stop()
    recorder.stop()
  }
}
