import { tokenOf } from '../servers/tokens.js'

export interface Call {
  method?: 'GET' | 'PUT' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: object
}

/** The service reads the user from the token, the references trust a header. */
export const as = (user: number, maxAge?: number) => ({ authorization: `Bearer ${tokenOf(user, maxAge)}`, user: String(user) })

/** The bytes of a request, built once and sent often. */
export const requestBytes = ({ method = 'GET', path, headers = {}, body }: Call) => {
  const payload = body ? JSON.stringify(body) : ''
  const all = { host: 'localhost', ...headers, ...(body && { 'content-type': 'application/json', 'content-length': payload.length }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${payload}`)
}
