import '../service/not-begun.test.js'
import '../service/races.test.js'
import '../service/replica-set.test.js'
import '../service/restore.test.js'
