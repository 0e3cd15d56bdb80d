import type { FastifyPluginAsync } from 'fastify'
import { thumbnail } from '../../demo/thumbnail.js'
import { contentNotFound, orThrow } from '../../src/errors.js'
import { integerId } from '../../src/http/ids.js'

/** The thumbnails of the demo catalogue, drawn on request. */
const thumbnails: FastifyPluginAsync = async app => {
  app.get<{ Params: { id: string }; Querystring: { bare?: string } }>(
    `${app.settings.BASE_PATH}/demo/thumbnails/:id.svg`,
    { schema: { hide: true }, config: { admission: 'public' } },
    async ({ params, query }, reply) => {
      const [content] = await app.data.contents.byIds([orThrow(integerId(params.id), contentNotFound)])
      const { _id, name, type } = orThrow(content, contentNotFound)
      return reply
        .type('image/svg+xml')
        .headers({ 'cache-control': 'public, max-age=3600', 'cross-origin-resource-policy': 'cross-origin' })
        .send(thumbnail({ id: _id, name, type }, { bare: query.bare !== undefined }))
    }
  )
}
export default thumbnails
