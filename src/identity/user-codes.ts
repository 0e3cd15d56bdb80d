import { randomInt } from 'node:crypto'

/** No vowels, so that no words appear, and no Y, which is one in many languages (RFC 8628, 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8

const written = new RegExp(`^[${letters}]{${length}}$`, 'i')

export const newUserCode = () => Array.from({ length }, () => letters[randomInt(letters.length)]).join('')

export const shownUserCode = (code: string) => `${code.slice(0, length / 2)}-${code.slice(length / 2)}`

/** The code in what somebody typed: in any case, with any dashes and spaces. */
export const readUserCode = (text: string) => {
  const bare = text.replace(/[\s\p{Dash_Punctuation}]/gu, '')
  return written.test(bare) ? bare.toUpperCase() : undefined
}
