import '../scripts/dev.test.js'
