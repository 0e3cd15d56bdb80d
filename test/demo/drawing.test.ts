import t from 'tap'
import { draw, pictureKinds, sizeOf } from '../../demo/drawing.js'
import { drawPortrait } from '../../demo/portrait.js'

/** The lines of the name in a picture. */
const linesIn = (picture: string) => [...picture.matchAll(/<text[^>]*font-weight="700">([^<]*)<\/text>/g)].map(([, line]) => line)

t.test('the pictures of a title', async t => {
  const title = { id: 7, name: 'Fish & <Chips>', type: 'film' }
  for (const kind of pictureKinds) {
    const picture = draw(title, kind)
    const { width, height } = sizeOf(kind)
    t.match(picture, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`)
    t.equal(draw(title, kind), picture, `a ${kind} is always the same`)
    t.not(draw({ ...title, id: 8 }, kind), picture)
    t.equal(linesIn(picture).join(' '), kind === 'backdrop' ? '' : 'Fish &amp; &lt;Chips&gt;', kind)
  }
  t.equal(sizeOf('poster').height / sizeOf('poster').width, 1.5)
})

t.test('a name is set in as many lines as there is room for', async t => {
  const name = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ')
  for (const [kind, count] of [
    ['thumbnail', 3],
    ['poster', 5]
  ] as const) {
    const lines = linesIn(draw({ id: 7, name, type: 'film' }, kind))
    t.equal(lines.length, count)
    t.match(lines[0], 'word0')
    t.match(lines.at(-1), /…$/)
  }
})

t.test('a person always looks the same, and unlike others', async t => {
  t.match(drawPortrait(7), /^<svg /)
  t.equal(drawPortrait(7), drawPortrait(7))
  t.not(drawPortrait(7), drawPortrait(8))
})
