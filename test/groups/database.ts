import '../database/collections.test.js'
import '../database/driver.test.js'
import '../database/operations.test.js'
import '../database/validators.test.js'
