import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Names that prom-client gives to gauges of Node.js. */
const ofTheLibrary = /^nodejs_active_(handles|requests|resources)_total /

/** promtool's complaints about metric names, except prom-client's. */
export const complaintsAbout = async (metrics: string, promtool: string) => {
  const child = spawn(promtool, ['check', 'metrics'], { stdio: ['pipe', 'ignore', 'pipe'] })
  child.stdin.end(metrics)
  const complaints = await text(child.stderr)
  return complaints.split('\n').filter(line => line !== '' && !ofTheLibrary.test(line))
}
