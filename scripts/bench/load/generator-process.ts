import { once } from 'node:events'
import { requestBytes } from './call.js'
import { closedLoop } from './closed-loop.js'
import type { Done, Order } from './generator.js'
import { openLoop } from './open-loop.js'

const perform = async (order: Order): Promise<Done> => {
  const requests = order.calls.map(requestBytes)
  if ('perSecond' in order) return { tally: await openLoop(order.port, requests, order) }
  const { count, seconds } = await closedLoop(order.port, requests, order)
  return { peak: count / seconds }
}

const [order] = (await once(process, 'message')) as [Order]
const done = await perform(order).catch((error: Error) => ({ failed: error.message }))
process.send?.(done, () => process.exit())
