import { randomFrom } from '../src/recommendations/model/index.js'

/** A picture of a fictional person: head and shoulders, in colours derived from the id. */
export const drawPortrait = (id: number) => {
  const random = randomFrom(Math.imul(id, 0x9e3779b1))
  const hue = Math.floor(random() * 360)
  const head = Math.round(33 + random() * 8)
  const shoulders = Math.round(68 + random() * 14)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="400" height="400">
<defs><linearGradient id="light" x2="1" y2="1"><stop stop-color="hsl(${hue}, 60%, 72%)"/><stop offset="1" stop-color="hsl(${(hue + 40) % 360}, 45%, 38%)"/></linearGradient></defs>
<rect width="200" height="200" fill="url(#light)"/>
<g fill="hsl(${hue}, 45%, 20%)">
<path d="M${100 - shoulders} 200q4-56 ${shoulders}-56t${shoulders} 56z"/>
<ellipse cx="100" cy="92" rx="${head}" ry="${head + 8}"/>
</g>
</svg>
`
}
