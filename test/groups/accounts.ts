import '../identity.test.js'
import '../plugins/authentication.test.js'
import '../plugins/chosen-profile.test.js'
import '../privacy.test.js'
