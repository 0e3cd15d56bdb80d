import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { type Json, UnjoinedJson } from '../src/catalogue/bytes.js'
import type { EventualResponse } from '../src/catalogue/public-responses.js'
import { cacheControl, jsonType } from '../src/http/reply.js'
import { itemsOf } from '../src/http/requests.js'

interface PublicOptions {
  /** The request headers that the response depends on. Empty ones are skipped. */
  vary?: readonly string[]
  /** More headers of the response. They may replace its `Cache-Control`, unless it is private. Errors do not get them. */
  headers?: Record<string, string>
}

declare module 'fastify' {
  interface FastifyReply {
    /** Sets the content type and returns ready JSON as one buffer, for the handler to return. */
    json: <T>(bytes: Json<T>) => T
    /**
     * Returns the body of a public response, or of a 304. It is private for viewers who may have an age limit. Return the result from the
     * handler.
     */
    publicJson: <T>(answer: EventualResponse<T>, options?: PublicOptions) => T | Promise<T>
    /** Redirects to another path, which clients must revalidate. Return the result from the handler. */
    publicRedirect: <T>(location: string, options: PublicOptions) => Promise<T>
  }
}

/** The body of a 304 or 308. A promise, because Fastify would wait for `send` if a handler returned undefined. */
const noBody: Promise<unknown> = Promise.resolve()

/** More tags than any honest caller sends. */
const mostTags = 100

const matchesEtag = (header: string, etag: string) => itemsOf(header, mostTags).some(tag => ['*', etag, `W/${etag}`].includes(tag))

const setPublicHeaders = (reply: FastifyReply, { vary = [], headers = {} }: PublicOptions) => {
  const { viewer } = reply.request
  const isForAll = viewer?.maxAge === undefined && !viewer?.isOutdated
  reply.headers({
    'cache-control': cacheControl.public,
    ...headers,
    ...(!isForAll && { 'cache-control': cacheControl.ageLimited })
  })
  for (const header of vary) if (header) reply.vary(header)
}

const bufferSize = 512 * 1024
const mostUnused = 16
const unused: Buffer[] = []

/**
 * Lends a buffer for a body that is still in parts, until the response closes. Allocating one for each such body would make V8 run a full
 * garbage collection every few seconds. Undefined if the body does not fit or the response has closed; then one is allocated.
 */
const bufferFor = (size: number, response: ServerResponse) => {
  // A response that has closed, for example after its deadline, does not close again, so its buffer would never be returned.
  if (size > bufferSize || response.destroyed) return undefined
  const buffer = unused.pop() ?? Buffer.allocUnsafeSlow(bufferSize)
  // By then, the system has taken the whole body, or the caller is gone.
  response.once('close', () => {
    unused.push(buffer)
    unused.splice(mostUnused)
  })
  return buffer
}

/** How routes send ready JSON. plugins/requests.ts first marks every response as personal, which public ones replace. */
export default fp(
  async app => {
    app.decorateReply('json', function <T>(this: FastifyReply, bytes: Json<T>) {
      this.header('content-type', jsonType)
      // A large response is still in parts (src/catalogue/bytes.ts), which are copied into one buffer only now. Fastify sends a Buffer
      // unchanged. The cast is for the route's schema.
      return (bytes instanceof UnjoinedJson ? bytes.joined(bufferFor(bytes.length, this.raw)) : bytes) as T
    })
    app.decorateReply('publicRedirect', function <T>(this: FastifyReply, location: string, options: PublicOptions): Promise<T> {
      setPublicHeaders(this, options)
      this.code(308).header('location', location)
      return noBody as Promise<T>
    })
    app.decorateReply('publicJson', function <T>(this: FastifyReply, answer: EventualResponse<T>, options: PublicOptions = {}):
      | T
      | Promise<T> {
      if (answer instanceof Promise) return answer.then(known => this.publicJson(known, options))
      const { bytes, etag } = answer
      setPublicHeaders(this, options)
      this.header('etag', etag)
      const known = this.request.headers['if-none-match']
      if (!known || !matchesEtag(known, etag)) return this.json(bytes)
      this.code(304)
      return noBody as Promise<T>
    })
  },
  { name: 'replies', dependencies: ['@fastify/sensible'] }
)
