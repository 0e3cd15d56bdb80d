import { randomFrom } from '../src/recommendations/model/index.js'

const width = 640
const height = 360
const margin = 40

/** Pseudo-random numbers from 0 to 1, so that an id always gets the same picture. */
const randomsOf = (id: number) => randomFrom(Math.imul(id, 0x9e3779b1) ^ 0x5bd1e995)
type Random = () => number
type Shapes = (random: Random, colour: (lightness: number) => string) => string

const round = (value: number) => Math.round(value * 10) / 10
const depths = [0, 1, 2, 3]

const disc: Shapes = (random, colour) =>
  `<circle cx="${round(350 + random() * 220)}" cy="${round(70 + random() * 80)}" r="${round(38 + random() * 50)}" fill="${colour(82)}" opacity=".85"/>`

/** Mountain ridges, darker the nearer they are. */
const ridges: Shapes = (random, colour) =>
  disc(random, colour) +
  depths
    .map(depth => {
      const points = Array.from({ length: 9 }, (_, n) => `${n * 80},${round(110 + depth * 50 + random() * 75 * (n % 2 === 0 ? 1 : 0.35))}`)
      return `<polygon points="0,${height} ${points.join(' ')} ${width},${height}" fill="${colour(50 - depth * 10)}" opacity=".9"/>`
    })
    .join('')

/** Swells under a sun or moon. */
const waves: Shapes = (random, colour) =>
  disc(random, colour) +
  depths
    .map(depth => {
      const top = round(140 + depth * 48 + random() * 20)
      const swell = round(20 + random() * 30)
      const start = round(-random() * 160)
      const path = `M${start},${top} q80,-${swell} 160,0 t160,0 t160,0 t160,0 t160,0 V${height} H${start} Z`
      return `<path d="${path}" fill="${colour(54 - depth * 11)}" opacity=".85"/>`
    })
    .join('')

/** Rings around a point off the middle. */
const rings: Shapes = (random, colour) => {
  const x = round(380 + random() * 220)
  const y = round(40 + random() * 140)
  return [6, 5, 4, 3, 2, 1]
    .map(n => `<circle cx="${x}" cy="${y}" r="${round(n * (42 + random() * 14))}" fill="${colour(24 + (7 - n) * 8)}" opacity=".55"/>`)
    .join('')
}

/** Leaning panes that overlap. */
const panes: Shapes = (random, colour) =>
  [...depths, 4, 5]
    .map(n => {
      const x = round(120 + n * 85 + random() * 50)
      const breadth = round(50 + random() * 110)
      return `<polygon points="${x},-10 ${round(x + breadth)},-10 ${round(x + breadth - 170)},370 ${round(x - 170)},370" fill="${colour(30 + random() * 40)}" opacity=".45"/>`
    })
    .join('')

const scenes = [ridges, waves, rings, panes]

const wide = /[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]|\p{Extended_Pictographic}/u
/** The approximate width of a character, in ems. */
const emsOf = (character: string) =>
  wide.test(character) ? 1 : /[\p{Lu}mwMW–—]/u.test(character) ? 0.72 : /[\s.,:;'!|ijltfrI]/.test(character) ? 0.34 : 0.57
const ems = (text: string) => [...text].reduce((sum, character) => sum + emsOf(character), 0)

/** Wraps words into lines of at most `limit` ems. Longer words are broken. */
const wrap = (text: string, limit: number) => {
  const rows: string[] = []
  let row = ''
  const flush = () => {
    if (row) rows.push(row)
    row = ''
  }
  for (const word of text.split(/\s+/u)) {
    if (row && ems(`${row} ${word}`) > limit) flush()
    if (row) row += ' '
    for (const character of word) {
      if (ems(row + character) > limit) flush()
      row += character
    }
  }
  flush()
  return rows
}

/** Wraps into as few lines as the limit allows, of about equal width. */
const wrapEvenly = (text: string, limit: number) => {
  let rows = wrap(text, limit)
  for (let narrower = limit - 0.5; narrower > 0; narrower -= 0.5) {
    const tighter = wrap(text, narrower)
    if (tighter.length > rows.length || text.split(/\s+/u).some(word => ems(word) > narrower)) break
    rows = tighter
  }
  return rows
}

const mostLines = 3
const sizes = [64, 56, 48, 42, 36]

/** Sets the name as large as three lines allow. A longer name ends in an ellipsis. */
const setName = (name: string) => {
  const wordFits = (size: number) => name.split(/\s+/u).every(word => ems(word) * size <= width - 2 * margin)
  const setAt = (size: number) => ({ size, rows: wrapEvenly(name, (width - 2 * margin) / size) })
  const fitting = sizes
    .filter(wordFits)
    .map(setAt)
    .find(({ rows }) => rows.length <= mostLines)
  if (fitting) return fitting
  const { size, rows } = setAt(36)
  if (rows.length <= mostLines) return { size, rows }
  const [first = '', second = '', third = ''] = rows
  return { size, rows: [first, second, `${[...third].slice(0, -1).join('').trimEnd()}…`] }
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }
/** Escapes text for XML and removes characters that XML cannot contain. */
const escapeXml = (text: string) =>
  text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '').replace(/[&<>"']/g, character => entities[character] ?? '')

interface Title {
  id: number
  name: string
  type: string
}

/** A picture for a title. The id determines colours and shapes. `bare` leaves out the name. */
export const thumbnail = ({ id, name, type }: Title, { bare = false } = {}) => {
  const random = randomsOf(id)
  const hue = Math.floor(random() * 360)
  const other = (hue + 25 + Math.floor(random() * 60)) % 360
  const scene = scenes[Math.floor(random() * scenes.length)] ?? ridges
  const colour = (lightness: number) => `hsl(${other}, 48%, ${Math.round(lightness)}%)`
  const { size, rows } = setName(name.trim())
  const leading = size * 1.12
  const text = rows
    .map(
      (row, n) =>
        `<text x="${margin}" y="${round(height - margin - (rows.length - 1 - n) * leading)}" font-size="${size}" font-weight="700">${escapeXml(row)}</text>`
    )
    .join('')
  const lettering = `<rect width="${width}" height="${height}" fill="url(#shade)"/>
<g fill="#fff" font-family="system-ui, 'Helvetica Neue', 'Noto Sans', 'Noto Sans CJK JP', sans-serif">
<text x="${margin}" y="46" font-size="15" font-weight="600" letter-spacing="3" opacity=".85">${escapeXml(type.toUpperCase())}</text>
${text}
</g>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(name)}">
<defs>
<linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue}, 50%, 30%)"/><stop offset="1" stop-color="hsl(${other}, 55%, 56%)"/></linearGradient>
<linearGradient id="shade" x2="0" y2="1"><stop offset=".2" stop-opacity="0"/><stop offset="1" stop-opacity=".72"/></linearGradient>
</defs>
<rect width="${width}" height="${height}" fill="url(#sky)"/>
${scene(random, colour)}
${bare ? '' : lettering}
</svg>
`
}
