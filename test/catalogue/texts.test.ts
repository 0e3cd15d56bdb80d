import t from 'tap'
import { SupportTexts } from '../../src/catalogue/texts.js'
import { supportText } from '../helpers/documents.js'

const texts = new SupportTexts([
  supportText(1, 'en'),
  supportText(1, 'de'),
  supportText(2, 'de'),
  supportText(2, 'en'),
  supportText(3, 'en', { context: 'billing' }),
  supportText(3, 'de', { context: 'billing' }),
  supportText(3, 'sv', { context: 'billing' })
])
const variant = (context: string, ...wanted: string[]) => texts.variant(context, texts.existing(wanted)).join()

t.test('wanted languages are those in which there is a text, the most wanted first', async t => {
  t.strictSame(texts.existing(['fr', 'sv-fi', 'xx', 'de', 'sv', 'de-at', 'en']), ['sv', 'de', 'en'])
})

t.test('callers who get the same texts have the same variant', async t => {
  const same: [string, string[][]][] = [
    ['playback', [['de', 'en'], ['de'], ['de-ch', 'en'], ['fr', 'de', 'sv', 'en'], ['sv', 'de'], ['xx', 'yy', 'de']]],
    ['billing', [['sv', 'de', 'en'], ['sv'], ['fr', 'sv', 'en']]],
    ['', [['de'], ['de', 'sv'], ['de', 'en']]],
    ['unknown', [['de'], ['en'], []]]
  ]
  for (const [context, callers] of same) {
    const variants = callers.map(wanted => variant(context, ...wanted))
    t.equal(new Set(variants).size, 1, `${context}: ${variants.join(' | ')}`)
    const answers = callers.map(wanted => JSON.stringify(texts.textsIn(context, texts.existing(wanted))))
    t.equal(new Set(answers).size, 1, context)
  }
  t.notOk(texts.has('unknown'))
})

t.test('callers who get different texts have different variants', async t => {
  const different: [string, string[], string[]][] = [
    ['playback', ['de', 'en'], ['en', 'de']],
    ['billing', ['sv', 'en'], ['en', 'sv']],
    ['', ['de'], ['en']],
    ['', ['sv', 'de'], ['de']]
  ]
  for (const [context, one, other] of different) {
    t.not(variant(context, ...one), variant(context, ...other), context)
    t.notSame(texts.textsIn(context, texts.existing(one)), texts.textsIn(context, texts.existing(other)), context)
  }
})
