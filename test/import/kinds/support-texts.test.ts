import t from 'tap'
import { importer, lines } from '../helper.js'

t.test('a support text may be empty', async t => {
  const { run, one } = await importer(t)
  await run({ 'support-texts.ndjson': lines({ id: 1, context: 'login', language: 'en' }) })
  t.match(await one('support_texts', '1/en'), { context: 'login', title: '', content: '' })
})
