import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Answer } from '../src/catalogue/answers.js'
import { jsonType } from '../src/reply.js'

declare module 'fastify' {
  interface FastifyReply {
    /** Sends ready bytes of JSON, the caller's own. */
    sendJson: (bytes: Buffer) => FastifyReply
    /**
     * Sends a public answer, or 304 where the caller has it already; one that is known at once, without waiting for anything.
     * `vary` names the request headers that it depends on.
     */
    sendPublic: (answer: Answer | Promise<Answer>, ...vary: string[]) => void | Promise<void>
  }
}

const names = (header: string, etag: string) => header.split(',').some(tag => ['*', etag, `W/${etag}`].includes(tag.trim()))

/** Every answer is the caller's own and kept by nobody, unless its route sends it as public. */
export default fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'private, no-store')
      done()
    })

    app.decorateReply('sendJson', function (this: FastifyReply, bytes: Buffer) {
      return this.header('content-type', jsonType).send(bytes)
    })
    app.decorateReply('sendPublic', function (this: FastifyReply, answer: Answer | Promise<Answer>, ...vary: string[]) {
      if (answer instanceof Promise) return answer.then(known => this.sendPublic(known, ...vary))
      const { bytes, etag } = answer
      this.headers({ 'cache-control': 'public, no-cache', etag, 'content-type': jsonType })
      for (const header of vary) if (header) this.vary(header)
      const known = this.request.headers['if-none-match']
      if (known && names(known, etag)) this.code(304).send()
      else this.send(bytes)
    })
  },
  { name: 'caching', dependencies: ['@fastify/sensible'] }
)
