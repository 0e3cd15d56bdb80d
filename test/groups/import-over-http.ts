import '../routes/import.test.js'
