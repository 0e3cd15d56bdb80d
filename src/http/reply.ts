import type { Done } from '../../schemas/common.js'
import type { PageQuery } from '../../schemas/page.js'

/** The content type of every answer but the pages for people. */
export const jsonType = 'application/json; charset=utf-8'

export const ok = <T>(data: T) => ({ success: true as const, data })

export const done = (code: number, text: string): Done => ({ success: true, code, 'message ': text, message: text })

export interface PageMeta {
  page: number
  per_page: number
  next_page: number | false
  prev_page: number | false
  total_pages: number
  total_count: number
}

/** Past the end, the previous page is the last one that has elements. */
export const pageMeta = ({ page, perPage }: PageQuery, total: number): PageMeta => {
  const total_pages = Math.ceil(total / perPage)
  return {
    page,
    per_page: perPage,
    next_page: page < total_pages && page + 1,
    prev_page: Math.min(page - 1, total_pages) || false,
    total_pages,
    total_count: total
  }
}

/** What of a whole list is on a page. */
export const onPage = <T>(all: T[], { page, perPage }: PageQuery) => all.slice((page - 1) * perPage, page * perPage)
