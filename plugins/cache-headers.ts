import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { Answer } from '../src/catalogue/answers.js'
import type { Json } from '../src/catalogue/bytes.js'
import { itemsOf } from '../src/http/lists.js'
import { jsonType } from '../src/http/reply.js'

interface PublicOptions {
  /** The request headers that the answer depends on. Empty ones are skipped. */
  vary?: readonly string[]
  /** More headers of the answer. An error that comes in place of the answer has none of them. */
  headers?: Record<string, string>
}

declare module 'fastify' {
  interface FastifyReply {
    /** Sends a personal response from ready JSON bytes. Return its result from the handler. */
    json: <T>(bytes: Json<T>) => T
    /**
     * Sends a public answer, or a 304 if the caller already has it. For viewers who have an age limit, or may have one, the answer is private. Return the
     * result from the handler.
     */
    publicJson: <T>(answer: Answer<T> | Promise<Answer<T>>, options?: PublicOptions) => T | Promise<T>
  }
}

/** Fastify sends a Buffer unchanged. The cast satisfies the response schema of the route. */
const asAnswer = <T>(ready: Json<T> | FastifyReply) => ready as T

/** More tags than any honest caller sends. */
const mostTags = 100

const matchesEtag = (header: string, etag: string) => itemsOf(header, mostTags).some(tag => ['*', etag, `W/${etag}`].includes(tag))

/** Marks every answer as private and not to be stored. `publicJson` replaces that, and so do errors, which are `no-store` alone. */
export default fp(
  async app => {
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'private, no-store')
      done()
    })

    app.decorateReply('json', function <T>(this: FastifyReply, bytes: Json<T>) {
      this.header('content-type', jsonType)
      return asAnswer(bytes)
    })
    app.decorateReply('publicJson', function <T>(this: FastifyReply, answer: Answer<T> | Promise<Answer<T>>, options: PublicOptions = {}):
      | T
      | Promise<T> {
      if (answer instanceof Promise) return answer.then(known => this.publicJson(known, options))
      const { vary = [], headers } = options
      const { bytes, etag } = answer
      const { viewer } = this.request
      const scope = viewer?.maxAge === undefined && !viewer?.isOutdated ? 'public' : 'private'
      this.headers({ ...headers, 'cache-control': `${scope}, no-cache`, etag })
      for (const header of vary) if (header) this.vary(header)
      const known = this.request.headers['if-none-match']
      return known && matchesEtag(known, etag) ? asAnswer(this.code(304).send()) : this.json(bytes)
    })
  },
  { name: 'cache-headers', dependencies: ['@fastify/sensible'] }
)
