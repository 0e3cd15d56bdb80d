import { isUtf8 } from 'node:buffer'

/** A part of a file that should be one record: its text, or what is wrong with it. */
export type Piece = { place: number; text: string } | { place: number; fault: string }

/** The limit of MongoDB is 16 MB for a document, which includes the search words. */
const maxRecordBytes = 2 * 1024 * 1024

const byteOrderMark = '\ufeff'

/** Collects the bytes of one record from the chunks of its file. */
export class RecordBuffer {
  private parts: Buffer[] = []
  private size = 0

  add(bytes: Buffer) {
    this.size += bytes.length
    // Drops the bytes of records that are too long, so that memory stays flat whatever the file contains.
    if (this.size <= maxRecordBytes) this.parts.push(bytes)
    else this.parts = []
  }

  /** Returns undefined for white space. */
  take(place: number): Piece | undefined {
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts)
    const { size } = this
    this.parts = []
    this.size = 0
    if (size > maxRecordBytes) return { place, fault: 'is longer than 2 MiB' }
    if (!isUtf8(bytes)) return { place, fault: 'is not valid UTF-8' }
    const text = bytes.toString('utf8')
    const clean = place === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
    return clean.trim() === '' ? undefined : { place, text: clean }
  }
}

/** Splits a file chunk by chunk. */
export interface Splitter {
  push(chunk: Buffer): Piece[]
  end(): Piece[]
}
