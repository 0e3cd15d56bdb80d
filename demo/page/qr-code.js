import encodeQR from 'qr'

const svgName = 'http://www.w3.org/2000/svg'
/** The white space around a QR code, in squares. Readers need it. */
const border = 4

/** @param {string} text */
export const qrCode = text => {
  const rows = encodeQR(text, 'raw', { border, ecc: 'medium' })
  const squares = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  const svg = document.createElementNS(svgName, 'svg')
  const path = document.createElementNS(svgName, 'path')
  path.setAttribute('d', squares.join(''))
  svg.setAttribute('viewBox', `0 0 ${rows.length} ${rows.length}`)
  svg.setAttribute('class', 'qr-code')
  svg.setAttribute('role', 'img')
  svg.setAttribute('aria-label', `QR code of ${text}`)
  svg.append(path)
  return svg
}
