import { Cache } from '../../cache.js'
import { ownBytes } from '../../catalogue/bytes.js'

/** In bytes. There is one row for each rail, segment of the audience and number of items. */
const size = 16 * 1024 * 1024

interface ReadyRow {
  ids: Float64Array
  bytes: Buffer
}

/**
 * The wire form of rails as rows of the start page. A row is returned only with the very list of ids that it was made from: an equal list
 * may be a new one, which `RailContents` makes when the catalogue or the clock may have changed something in the contents.
 */
export class ReadyRows {
  private readonly rows = new Cache<string, ReadyRow>(size, ({ ids, bytes }) => ids.byteLength + bytes.length)

  get(key: string, ids: Float64Array) {
    const row = this.rows.get(key)
    return row?.ids === ids ? row.bytes : undefined
  }

  put(key: string, ids: Float64Array, bytes: Buffer) {
    this.rows.put(key, { ids, bytes: ownBytes(bytes) })
  }
}
