import { until } from '../until.js'

/** Milliseconds between two attempts. More frequent ones would load the machine. */
export const every = 200

/** Docker accepts a connection before the service listens, and drops it. Without a timer, `fetch` may then wait for ever. */
const call = async (url: string, init: RequestInit = {}) => {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), 5000)
  try {
    const response = await fetch(url, { ...init, signal: limit.signal })
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  } finally {
    clearTimeout(timer)
  }
}

/** Calls of the service at a port of this machine. */
export class Service {
  readonly #address: string

  constructor(port: number) {
    this.#address = `http://localhost:${port}`
  }

  /** The status of the answer, or 0 if there is none. */
  async status(path: string) {
    const answer = await call(`${this.#address}${path}`).catch(() => undefined)
    return answer?.status ?? 0
  }

  async read(path: string, token = '') {
    const { status, text } = await call(`${this.#address}${path}`, { headers: token ? { authorization: `Bearer ${token}` } : {} })
    if (status !== 200) throw new Error(`${path} is a ${status}: ${text}`)
    return JSON.parse(text).data
  }

  /** The media type of the picture at any URL, or the status if it is not there. */
  async picture(url: string) {
    const { status, type } = await call(url)
    return status === 200 ? type : `a ${status}`
  }

  /** The access token of a user. */
  async signIn(email: string, password: string): Promise<string> {
    const body = JSON.stringify({ email, password })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const { status, text } = await call(`${this.#address}/login`, init)
    if (status !== 200) throw new Error(`the login of ${email} is a ${status}`)
    return JSON.parse(text).data.access_token
  }

  whenReady() {
    return until('The service', async () => (await this.status('/ready')) === 200, { every })
  }
}
