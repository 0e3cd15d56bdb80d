import '../scripts/soak.test.js'
