import type { Home, HomeKind, HomeRow } from '../../../schemas/home.js'
import { type Fragment, type JsonParts, joined, jsonParts, list } from '../../catalogue/bytes.js'

type ItemParts = JsonParts<HomeRow['items'][number]>

interface Item {
  content_id: number
  /** The content that is the reason for the item, if any. */
  because?: number | undefined
  parts: (content: Fragment, cause: Fragment | undefined) => ItemParts
}

/** What a row shows, before its contents are read. */
export interface PlannedRow {
  kind: HomeKind
  /** The path of the whole list. */
  more: string | null
  items: Item[]
  name?: string
  /** The content that is the reason for the row, if any. */
  because?: number
  /** Called with the wire form of the row, unless a content was missing. */
  keep?: (bytes: Buffer) => void
}

/** A row in its wire form. */
interface ReadyRow {
  ready: JsonParts<HomeRow>
}

export type Row = PlannedRow | ReadyRow

/** An item with these fields after its content. */
export const itemParts = <More extends object>({ bytes }: Fragment, more: More) =>
  jsonParts<never>(['{"content":', bytes, `},${JSON.stringify(more).slice(1)}`])

const plainParts = ({ bytes }: Fragment) => jsonParts<never>(['{"content":', bytes, '}}'])

export const plainItem = (content_id: number): Item => ({ content_id, parts: plainParts })

/** The ids of all contents that the rows show or name. */
export const contentIdsOf = (rows: Row[]) => {
  const ids = new Set<number>()
  const add = ({ because }: { because?: number | undefined }) => because !== undefined && ids.add(because)
  for (const row of rows) {
    if ('ready' in row) continue
    add(row)
    for (const item of row.items) {
      add(item)
      ids.add(item.content_id)
    }
  }
  return [...ids]
}

type Contents = Map<number, Fragment | undefined>

const partsOf = ({ kind, name, because, more, items, keep }: PlannedRow, contents: Contents) => {
  const causeOf = (id: number | undefined) => (id === undefined ? undefined : contents.get(id))
  const cause = causeOf(because)
  const shown: ItemParts[] = []
  for (const { content_id, because, parts } of items) {
    const content = contents.get(content_id)
    if (content) shown.push(parts(content, causeOf(because)))
  }
  if (shown.length === 0 || (because !== undefined && !cause)) return undefined
  const head = { kind, name: name ?? null, because: cause ? { content_id: because, name: cause.name } : null, more }
  const row = jsonParts<HomeRow>([`${JSON.stringify(head).slice(0, -1)},"items":`, ...list(shown), '}'])
  if (keep && shown.length === items.length) keep(joined(row))
  return row
}

/** `ids` come from `contentIdsOf`, and `found` are their contents. Leaves out items without a content, and rows without items. */
export const homeParts = (rows: Row[], ids: number[], found: (Fragment | undefined)[], missing: HomeKind[]) => {
  const contents: Contents = new Map()
  for (const [i, id] of ids.entries()) contents.set(id, found[i])
  const shown: JsonParts<HomeRow>[] = []
  for (const row of rows) {
    const parts = 'ready' in row ? row.ready : partsOf(row, contents)
    if (parts) shown.push(parts)
  }
  return jsonParts<Home>(['{"rows":', ...list(shown), `,"missing":${JSON.stringify(missing)}}`])
}
