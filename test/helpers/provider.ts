import { exportSPKI, generateKeyPair, SignJWT } from 'jose'

export const [issuer, audience] = ['https://id.example.com/', 'tv']
const { privateKey, publicKey } = await generateKeyPair('EdDSA')

/** The settings of a service that accepts the tokens of this identity provider. */
export const providerSettings = {
  JWT_SECRET: '',
  JWT_ISSUER: issuer,
  JWT_AUDIENCE: audience,
  JWT_PUBLIC_KEY: await exportSPKI(publicKey)
}

let issued = 0
/** A token of the identity provider. `life` and `age` are in seconds. */
export const providerToken = (sub: string, life = 300, age = 0) => {
  const now = Math.floor(Date.now() / 1000) - age
  return new SignJWT({ iss: issuer, aud: audience, sub, iat: now, exp: now + life, jti: String(issued++) })
    .setProtectedHeader({ alg: 'EdDSA' })
    .sign(privateKey)
}
