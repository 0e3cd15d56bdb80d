const svgName = 'http://www.w3.org/2000/svg'

/** @param {string} name @param {Record<string, string | number>} attributes */
const shape = (name, attributes) => {
  const element = document.createElementNS(svgName, name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value))
  return element
}

const mouths = ['M34 62q16 16 32 0', 'M32 60h36q-4 18-18 18T32 60z', 'M36 66q18 10 30-6', 'M40 64q10 9 20 0']
/** In degrees of hue, as in oklch. Neighbours differ clearly, because profiles of one account often have consecutive ids. */
const hues = [65, 250, 150, 330, 195, 25, 290, 110]

/** The picture of a profile: a face derived from its id. @param {number} id */
export const face = id => {
  const apart = 14 + ((id * 5) % 7)
  const svg = shape('svg', { viewBox: '0 0 100 100', 'aria-hidden': 'true', class: 'face' })
  svg.style.setProperty('--hue', String(hues[id % hues.length]))
  svg.append(
    shape('circle', { cx: 50 - apart, cy: 42, r: 5.5 }),
    shape('circle', { cx: 50 + apart, cy: 42, r: 5.5 }),
    shape('path', { d: String(mouths[(id * 3) % mouths.length]), class: id % 4 === 3 ? 'laugh' : 'smile' })
  )
  return svg
}
