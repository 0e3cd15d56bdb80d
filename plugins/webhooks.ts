import fp from 'fastify-plugin'
import { counter, gauge } from '../src/metrics/instruments.js'
import { seconds } from '../src/time.js'
import { Webhooks } from '../src/webhooks/index.js'
import { poll } from './preparation.js'

/** Sends events to the endpoints of `npm run webhook`, in the background (docs/webhooks.md). */
export default fp(
  async app => {
    const { jobDatabase, log, metrics } = app
    const delivered = counter(metrics, 'webhook_deliveries_total', 'Webhook events that this process has delivered')
    const failed = counter(metrics, 'webhook_failures_total', 'Attempts of this process to deliver a webhook event that have failed')
    const lost = counter(
      metrics,
      'webhook_events_lost_total',
      'Webhook events removed before they were delivered: older than 4 days, or too many'
    )
    const positionsLost = counter(
      metrics,
      'webhook_positions_lost_total',
      'Times that the oplog no longer had the position from which webhooks continue'
    )

    const saidLost = new Set<string>()
    const webhooks = new Webhooks(jobDatabase, {
      onStandalone: () => log.info('webhooks need a replica set, and MONGO_URL is a standalone server: no events are sent'),
      onOutcome: isDelivered => (isDelivered ? delivered : failed).inc(),
      onDisabled: (endpoint, reason) =>
        log.warn({ endpoint, reason }, `the webhook endpoint ${endpoint} was disabled: npm run webhook -- enable ${endpoint}`),
      onPositionLost: () => {
        positionsLost.inc()
        log.error('the oplog no longer has the position from which webhooks continue: events were lost, continuing from now')
      },
      onEventsLost: (endpoint, count) => {
        lost.inc(count)
        // Logged once, because a disabled endpoint may lose events every minute.
        if (!saidLost.has(endpoint))
          log.error({ endpoint, count }, 'webhook events are removed before they are delivered: too old, or too many')
        saidLost.add(endpoint)
      }
    })
    gauge(metrics, 'webhook_events_waiting', 'Webhook events waiting. Only set in the process that delivers', () => webhooks.state.waiting)
    gauge(
      metrics,
      'webhook_endpoints_disabled',
      'Disabled webhook endpoints. Only set in the process that delivers',
      () => webhooks.state.disabled
    )
    gauge(
      metrics,
      'webhook_oldest_waiting_seconds',
      'Age of the oldest waiting webhook event. Only set in the process that delivers',
      () => {
        const { since } = webhooks.state
        return since ? (Date.now() - since.getTime()) / seconds(1) : 0
      }
    )

    const run = () => webhooks.run(app.closing)
    const onFailure = (err: unknown) => log.warn({ err }, 'webhook events could not be delivered, trying again every second')
    app.preparations.push(async () => {
      if (await webhooks.canRun()) app.inBackground(poll(run, app.closing, onFailure))
    })
  },
  { name: 'webhooks', dependencies: ['metrics', 'mongo', 'preparation'] }
)
