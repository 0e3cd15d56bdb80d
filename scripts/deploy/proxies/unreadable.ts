import { promised } from '../../soak/promises.js'
import type { Program, RunningProxy } from './program.js'
import { isError, type Sent, sender } from './send.js'

const long = 'x'.repeat(17_000)
const requests: Record<string, { sent: Sent; status: number }> = {
  'a long address': { sent: { path: `/terms?${long}` }, status: 431 },
  'a long header': { sent: { path: '/terms', headers: { long } }, status: 431 },
  'a wrong address': { sent: { path: '/%zz' }, status: 400 },
  'an unknown coding': {
    sent: { method: 'POST', path: '/history', headers: { 'transfer-encoding': 'unknown, chunked' }, body: ['{}'] },
    status: 400
  },
  TRACE: { sent: { method: 'TRACE', path: '/terms' }, status: 400 }
}

/** Tests what callers get whose requests the proxy or the service cannot read. */
export const unreadable = async ({ answersUnreadable }: Program, proxy: RunningProxy) => {
  // On connections of its own: HAProxy closes one after a 422 without saying so.
  const { send, close } = sender(proxy)
  const found = await Promise.all(
    Object.entries(requests).map(async ([name, { sent, status }]) => {
      const answer = await send(sent)
      const isRefused = answersUnreadable ? isError(answer, status) : answer.status >= 400 && answer.status < 500
      return { isRefused, figures: `${name} ${answer.status} ${answer.headers['content-type']}` }
    })
  ).finally(close)
  return promised(
    answersUnreadable ? 'requests that cannot be read get errors of the service' : 'requests that cannot be read get a 4xx',
    found.every(({ isRefused }) => isRefused),
    found.map(({ figures }) => figures).join(', ')
  )
}
