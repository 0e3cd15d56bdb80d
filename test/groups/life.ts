import '../service/life.test.js'
