import '../service/age-limits.test.js'
import '../service/several-processes.test.js'
