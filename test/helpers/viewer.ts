import { type App, addUser, signIn } from './app.js'

/** A signed-in user, with functions that send requests as that user. */
export const viewerOf = async (app: App, more: Record<string, string> = {}) => {
  const user = await addUser(app)
  const token = await signIn(app, user)
  const send =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    (url: string, payload?: object | string | undefined, headers: Record<string, string> = {}) =>
      app.inject({ method, url, headers: { ...token, ...more, ...headers }, ...(payload === undefined ? {} : { payload }) })
  return { id: user._id, headers: token, get: send('GET'), post: send('POST'), put: send('PUT'), remove: send('DELETE') }
}
export type Viewer = Awaited<ReturnType<typeof viewerOf>>

/** Reports progress and gives the id of the element. */
export const watch = async (
  viewer: Viewer,
  content_id: number,
  progress: { time?: number; percentage?: number; observed_at?: string } = {}
) => {
  const answer = await viewer.post('/history', { content_id, ...progress })
  const id = /\/history\/([0-9a-f]{24})$/.exec(String(answer.headers.location))?.[1]
  if (answer.statusCode !== 201 || !id) throw new Error(`${answer.statusCode} ${answer.body} ${answer.headers.location}`)
  return id
}

/** Every page of a list, one after the other. */
export const allPages = async (viewer: Viewer, path: string, perPage: number) => {
  const pages = []
  for (let page: number | false = 1; page !== false; ) {
    const answer = await viewer.get(`${path}?perPage=${perPage}&page=${page}`)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    const { collection, meta } = answer.json().data
    pages.push({ collection, meta })
    page = meta.next_page
  }
  return pages
}
