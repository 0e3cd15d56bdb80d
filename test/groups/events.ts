import '../webhooks/addresses.test.js'
import '../webhooks/delivery.test.js'
import '../webhooks/events.test.js'
