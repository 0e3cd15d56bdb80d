import '../client/profiles.test.js'
import '../client/provider-session.test.js'
import '../client/session.test.js'
import '../client/taste.test.js'
