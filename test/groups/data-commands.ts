import '../scripts/feed.test.js'
import '../scripts/import.test.js'
import '../scripts/recommend.test.js'
import '../scripts/train.test.js'
