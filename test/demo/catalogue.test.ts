import t from 'tap'
import { demoFiles } from '../../demo/catalogue.js'

interface Credit {
  person_id: number
  role: string
  character?: string
}
interface Line {
  id: number
  parent_id: number | null
  type: string
  name: string
  image?: string
  duration?: number
  year?: number
  credits?: Credit[]
}

const files = await demoFiles('http://demo.example', new Date())
const linesOf = (name: string): Line[] =>
  String(files[name])
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
const [contents, people] = [linesOf('contents.ndjson'), linesOf('people.ndjson')]

t.test('the films, documentaries and shows of the demo name who made them', async t => {
  for (const { name, type, credits = [] } of contents) {
    if (!['film', 'documentary', 'show'].includes(type)) continue
    t.ok(credits.length >= 3 && credits.length <= 8, name)
    t.ok(
      credits.some(({ role }) => role === 'director'),
      name
    )
    const persons = credits.map(({ person_id }) => person_id)
    t.equal(new Set(persons).size, persons.length, `${name} credits nobody twice`)
  }
})

t.test('all titles have what a search feed needs', async t => {
  for (const { id, type, year, duration } of contents) {
    t.ok(year, `${id} has a year`)
    t.ok(duration || ['show', 'season'].includes(type), `${id} has a duration`)
  }
})

t.test('everybody has a credit, and many have several', async t => {
  const credited = contents.flatMap(({ credits = [] }) => credits.map(({ person_id }) => person_id))
  const counts = people.map(({ id }) => credited.filter(other => other === id).length)
  t.notOk(counts.includes(0))
  t.equal(
    counts.reduce((sum, count) => sum + count),
    credited.length,
    'nobody is missing'
  )
  t.ok(counts.filter(count => count > 3).length > 50)
  t.equal(new Set(people.map(({ name }) => name)).size, people.length)
})

t.test('most people have a portrait', t => {
  t.match(people[0], { name: 'Maren Oksvik', image: 'http://demo.example/demo/portraits/1.svg' })
  t.equal(people[3]?.image, undefined)
  t.end()
})
