// Tells other systems what viewers do, by webhooks.
export { faultOf } from './addresses.js'
export { agentFor, attempt } from './attempt.js'
export { type Endpoint, endpointsOf, newEndpointId } from './endpoints.js'
export { type EventType, eventTypes } from './events.js'
export { outboxIndexes, outboxName, outboxOf } from './outbox.js'
export { isStandalone } from './stream.js'
export { forgetWebhooks, Webhooks } from './webhooks.js'
