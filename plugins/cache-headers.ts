import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Answer } from '../src/catalogue/answers.js'
import { jsonType } from '../src/http/reply.js'

/** Bytes take the place of whatever the schema of a route wants. */
type Ready = never

declare module 'fastify' {
  interface FastifyReply {
    /** What a handler returns to answer with ready bytes of JSON, the caller's own. */
    json: (bytes: Buffer) => Ready
    /**
     * What a handler returns to send a public answer, or 304 where the caller has it already; one that is known at once,
     * without waiting for anything. `vary` names the request headers that it depends on.
     */
    publicJson: (answer: Answer | Promise<Answer>, ...vary: string[]) => Ready
  }
}

/** More tags than a caller has of one answer. */
const mostTags = 100

const names = (header: string, etag: string) => header.split(',', mostTags).some(tag => ['*', etag, `W/${etag}`].includes(tag.trim()))

/** Every answer is the caller's own and kept by nobody, unless its route sends it as public. */
export default fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'private, no-store')
      done()
    })

    app.decorateReply('json', function (this: FastifyReply, bytes: Buffer) {
      this.header('content-type', jsonType)
      return bytes as Ready
    })
    app.decorateReply('publicJson', function (this: FastifyReply, answer: Answer | Promise<Answer>, ...vary: string[]) {
      if (answer instanceof Promise) return answer.then(known => this.publicJson(known, ...vary)) as Ready
      const { bytes, etag } = answer
      this.headers({ 'cache-control': 'public, no-cache', etag, 'content-type': jsonType })
      for (const header of vary) if (header) this.vary(header)
      const known = this.request.headers['if-none-match']
      return (known && names(known, etag) ? this.code(304).send() : bytes) as Ready
    })
  },
  { name: 'cache-headers', dependencies: ['@fastify/sensible'] }
)
