/** Placeholders that examples and templates contain. */
const placeholder = /(replace|change)[-_ ]?me|your[-_ ]?(jwt[-_ ]?)?secret/i

export const refuseWeakSecret = (name: string, secret: string) => {
  const advice = 'generate one, for example with `openssl rand -base64 48`'
  if (Buffer.byteLength(secret) < 32) throw new Error(`${name} is shorter than 32 bytes: ${advice}`)
  if (placeholder.test(secret)) throw new Error(`${name} is a placeholder that everybody knows: ${advice}`)
}
