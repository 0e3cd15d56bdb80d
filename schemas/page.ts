import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { Ok } from './common.js'
import { published } from './published.js'

export const defaultPerPage = 20
export const maxPerPage = 100

export const PageQuery = {
  perPage: Type.Integer({ minimum: 1, maximum: maxPerPage, default: defaultPerPage, description: 'Elements per page' }),
  page: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1, description: 'Page number' })
}
export interface PageQuery {
  perPage: number
  page: number
}

/**
 * The published schema has no type, because client generators cannot handle a union of a number and a boolean in any form: see
 * docs/decisions/032-document-for-generators.md.
 */
const PageLink = (page: string, more = '') =>
  published(Type.Union([Type.Integer(), Type.Literal(false)]), {
    description: `The number of the ${page} page, or \`false\` if there is none${more}`
  })

const meta = {
  page: Type.Integer(),
  per_page: Type.Integer(),
  next_page: PageLink('next', '. There is one, `page + 1`, if `page * per_page` is less than `total_count`'),
  prev_page: PageLink('previous'),
  total_count: Type.Integer()
}

export const Meta = Type.Object({ ...meta, total_pages: Type.Integer() }, { $id: 'Meta' })
export type Meta = Static<typeof Meta>
/** In the spec, the `meta` of terms has no `total_pages`. */
export const TermsMeta = Type.Object(meta, { $id: 'TermsMeta' })

const PageWith =
  <M extends TSchema>(meta: M) =>
  <T extends TSchema>(element: T) =>
    Ok(Type.Object({ collection: Type.Array(element), meta }, { $id: `${element.$id}Page` }))

export const Page = PageWith(Meta)
export const TermsPage = PageWith(TermsMeta)
