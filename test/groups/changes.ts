import '../routes/changes-stream.test.js'
import '../routes/changes.test.js'
import '../sync/changes.test.js'
import '../sync/mover.test.js'
