import type { FastifyPluginAsync } from 'fastify'
import { orThrow, resourceNotFound } from '../src/errors.js'
import { integerId } from '../src/http/requests.js'
import { draw, pictureKinds } from './drawing.js'

/** The pictures of the demo catalogue, drawn on request. */
const pictures: FastifyPluginAsync = async app => {
  for (const kind of pictureKinds)
    app.get<{ Params: { id: string } }>(
      `${app.settings.BASE_PATH}/demo/${kind}s/:id.svg`,
      { schema: { hide: true }, config: { admission: 'public' } },
      async ({ params }, reply) => {
        const content = await app.data.contents.byIds([orThrow(integerId(params.id), resourceNotFound)]).next()
        const { _id, name, type } = orThrow(content, resourceNotFound)
        return reply
          .type('image/svg+xml')
          .headers({ 'cache-control': 'public, max-age=3600', 'cross-origin-resource-policy': 'cross-origin' })
          .send(draw({ id: _id, name, type }, kind))
      }
    )
}
export default pictures
