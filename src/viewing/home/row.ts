import type { Home, HomeRow } from '../../../schemas/home.js'
import { type Fragment, type JsonParts, jsonParts, list } from '../../catalogue/bytes.js'

export type Kind = HomeRow['kind']
type ItemParts = JsonParts<HomeRow['items'][number]>

interface Item {
  content_id: number
  /** The content that the item is because of, if any. */
  because?: number | undefined
  parts: (content: Fragment, cause: Fragment | undefined) => ItemParts
}

/** What a row shows, before its contents are read. */
export interface Row {
  kind: Kind
  /** The path of the whole list. */
  more: string | null
  items: Item[]
  name?: string
  /** The content that the row is because of, if any. */
  because?: number
}

/** An item with these fields after its content. */
export const itemParts = <More extends object>({ bytes }: Fragment, more: More) => {
  const rest = JSON.stringify(more).slice(1)
  return jsonParts<never>(['{"content":', bytes, rest === '}' ? '}}' : `},${rest}`])
}

export const plainItem = (content_id: number): Item => ({ content_id, parts: content => itemParts(content, {}) })

/** The ids of all contents that the rows show or name. */
export const contentIdsOf = (rows: Row[]) => {
  const ids = new Set<number>()
  const add = ({ because }: { because?: number | undefined }) => because !== undefined && ids.add(because)
  for (const row of rows) {
    add(row)
    for (const item of row.items) {
      add(item)
      ids.add(item.content_id)
    }
  }
  return [...ids]
}

type Contents = Map<number, Fragment | undefined>

const rowParts = ({ kind, name, because, more, items }: Row, contents: Contents) => {
  const causeOf = (id: number | undefined) => (id === undefined ? undefined : contents.get(id))
  const cause = causeOf(because)
  const shown = items.flatMap(({ content_id, because, parts }) => {
    const content = contents.get(content_id)
    return content ? [parts(content, causeOf(because))] : []
  })
  if (shown.length === 0 || (because !== undefined && !cause)) return []
  const head = { kind, name: name ?? null, because: cause ? { content_id: because, name: cause.name } : null, more }
  return [jsonParts<HomeRow>([`${JSON.stringify(head).slice(0, -1)},"items":`, ...list(shown), '}'])]
}

/** `found` are the contents of `contentIdsOf`. Leaves out items without one, and rows without items. */
export const homeParts = (rows: Row[], found: (Fragment | undefined)[], missing: Kind[]) => {
  const contents: Contents = new Map(contentIdsOf(rows).map((id, i) => [id, found[i]]))
  const shown = list(rows.flatMap(row => rowParts(row, contents)))
  return jsonParts<Home>(['{"rows":', ...shown, `,"missing":${JSON.stringify(missing)}}`])
}
