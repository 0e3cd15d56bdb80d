import type { FastifyPluginAsync } from 'fastify'
import { orThrow, resourceNotFound } from '../src/errors.js'
import { integerId } from '../src/http/requests.js'
import { draw, pictureKinds } from './drawing.js'
import { drawPortrait } from './portrait.js'

const headers = {
  'content-type': 'image/svg+xml',
  'cache-control': 'public, max-age=3600',
  'cross-origin-resource-policy': 'cross-origin'
}

/** The pictures of the demo catalogue and of the people in it, drawn on request. */
const pictures: FastifyPluginAsync = async app => {
  const serve = (folder: string, drawn: (id: number) => Promise<string> | string) =>
    app.get<{ Params: { id: string } }>(
      `${app.settings.BASE_PATH}/demo/${folder}/:id.svg`,
      { schema: { hide: true }, config: { admission: 'public' } },
      async ({ params }, reply) => reply.headers(headers).send(await drawn(orThrow(integerId(params.id), resourceNotFound)))
    )

  serve('portraits', drawPortrait)
  for (const kind of pictureKinds)
    serve(`${kind}s`, async id => {
      const { name, type } = orThrow(await app.data.contents.byIds([id]).next(), resourceNotFound)
      return draw({ id, name, type }, kind)
    })
}
export default pictures
