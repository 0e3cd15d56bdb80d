import { randomFrom } from '../src/recommendations/model/index.js'
import { escapeXml, setName } from './lettering.js'

/** Scenes are drawn in this size and scaled. */
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

/** Rings around a point off centre. */
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

interface Format {
  width: number
  height: number
  /** The part of the scene that is shown. */
  part: string
  /** The maximum number of lines for the name. 0 for a picture without text. */
  lines: number
}

const formats = {
  thumbnail: { width, height, part: `0 0 ${width} ${height}`, lines: 3 },
  poster: { width: 400, height: 600, part: `300 0 240 ${height}`, lines: 5 },
  backdrop: { width: 1280, height: 720, part: `0 0 ${width} ${height}`, lines: 0 }
} satisfies Record<string, Format>

export type PictureKind = keyof typeof formats
export const pictureKinds = Object.keys(formats) as PictureKind[]

export const sizeOf = (kind: PictureKind) => ({ width: formats[kind].width, height: formats[kind].height })

interface Title {
  id: number
  name: string
  type: string
}

/** The name and type of a title, over a shade. */
const lettering = ({ name, type }: Title, { width, height, lines }: Format) => {
  const { size, rows } = setName(name.trim(), width - 2 * margin, lines)
  const leading = size * 1.12
  const text = rows
    .map(
      (row, n) =>
        `<text x="${margin}" y="${round(height - margin - (rows.length - 1 - n) * leading)}" font-size="${size}" font-weight="700">${escapeXml(row)}</text>`
    )
    .join('')
  return `<rect width="${width}" height="${height}" fill="url(#shade)"/>
<g fill="#fff" font-family="system-ui, 'Helvetica Neue', 'Noto Sans', 'Noto Sans CJK JP', sans-serif">
<text x="${margin}" y="46" font-size="15" font-weight="600" letter-spacing="3" opacity=".85">${escapeXml(type.toUpperCase())}</text>
${text}
</g>`
}

/** A picture for a title. The id determines colours and shapes. */
export const draw = (title: Title, kind: PictureKind) => {
  const format: Format = formats[kind]
  const random = randomsOf(title.id)
  const hue = Math.floor(random() * 360)
  const other = (hue + 25 + Math.floor(random() * 60)) % 360
  const scene = scenes[Math.floor(random() * scenes.length)] ?? ridges
  const colour = (lightness: number) => `hsl(${other}, 48%, ${Math.round(lightness)}%)`
  const size = `width="${format.width}" height="${format.height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${format.width} ${format.height}" ${size} role="img" aria-label="${escapeXml(title.name)}">
<defs>
<linearGradient id="sky" x2="0" y2="1"><stop stop-color="hsl(${hue}, 50%, 30%)"/><stop offset="1" stop-color="hsl(${other}, 55%, 56%)"/></linearGradient>
<linearGradient id="shade" x2="0" y2="1"><stop offset=".2" stop-opacity="0"/><stop offset="1" stop-opacity=".72"/></linearGradient>
</defs>
<rect ${size} fill="url(#sky)"/>
<svg viewBox="${format.part}" ${size}>${scene(random, colour)}</svg>
${format.lines > 0 ? lettering(title, format) : ''}
</svg>
`
}
