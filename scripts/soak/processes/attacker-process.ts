import { attack, attacks, premade } from '../load/attacks.js'
import type { Order } from './attacker.js'

let attacking: ReturnType<typeof attack> | undefined

process.on('message', async (order: Order) => {
  if (order === 'stop') {
    process.send?.((await attacking?.stop()) ?? {})
    return
  }
  const make = attacks[order.attack]
  if (!make) throw new Error(`There is no attack ${order.attack}`)
  attacking = attack(order.port, order.atOnce, premade(make))
  process.send?.('started')
})
