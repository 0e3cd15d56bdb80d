import '../scripts/bench.test.js'
import '../scripts/mongod.test.js'
import '../scripts/tools.test.js'
