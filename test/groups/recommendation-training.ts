import '../recommendations/model/train.test.js'
