import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import ts from 'typescript'
import { root } from '../scripts/root.js'
import { resourceNotFound } from '../src/errors.js'

/** Allows no inline scripts or styles, and nothing from other hosts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'"
].join('; ')

const types = { css: 'text/css', html: 'text/html', js: 'text/javascript', svg: 'image/svg+xml' }
type Extension = keyof typeof types

const send = (reply: FastifyReply, extension: Extension, text: string) =>
  reply.type(`${types[extension]}; charset=utf-8`).headers({ 'content-security-policy': policy, 'cache-control': 'no-cache' }).send(text)

const read = (path: string) =>
  readFile(join(root, path), 'utf8').catch(() => {
    throw resourceNotFound()
  })

/** The packages that the browser loads. Each is a single file, served from the folder that imports it. */
const packages = { client: 'openapi-fetch', 'demo/page': 'qr' }
const packageFile = (name: string) => readFile(fileURLToPath(import.meta.resolve(name)), 'utf8')
const byUrl = (text: string, name: string) => text.replace(`'${name}'`, `'./${name}.js'`)

const fileOfPage = async (name: string, extension: Extension) => {
  if (name === packages['demo/page']) return packageFile(name)
  return byUrl(await read(`demo/page/${name}.${extension}`), packages['demo/page'])
}

/** The client as a browser loads it: without types. */
const moduleOf = async (name: string) => {
  if (name === packages.client) return packageFile(name)
  const { outputText } = ts.transpileModule(await read(`client/${name}.ts`), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
  })
  return byUrl(outputText, packages.client)
}

/** The demo page. Its files and those of the client are served under their paths in the repository, so that relative imports work. */
const page: FastifyPluginAsync = async app => {
  const { BASE_PATH } = app.settings
  const options = { schema: { hide: true }, config: { admission: 'static' } } as const

  app.get(`${BASE_PATH}/`, options, async (_request, reply) => send(reply, 'html', await read('demo/page/index.html')))
  if (BASE_PATH) app.get(BASE_PATH, options, async (_request, reply) => reply.redirect(`${BASE_PATH}/`))

  app.get<{ Params: { name: string; extension: Extension } }>(
    `${BASE_PATH}/demo/page/:name([\\w-]+).:extension(^(css|js|svg)$)`,
    options,
    async ({ params: { name, extension } }, reply) => send(reply, extension, await fileOfPage(name, extension))
  )
  app.get<{ Params: { name: string } }>(`${BASE_PATH}/client/:name([\\w-]+).js`, options, async ({ params: { name } }, reply) =>
    send(reply, 'js', await moduleOf(name))
  )
}
export default page
