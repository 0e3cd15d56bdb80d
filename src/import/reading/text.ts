import { isUtf8 } from 'node:buffer'

/** A piece of a file that should be a record: its text, or what is wrong with it. */
export type Piece = { place: number; text: string } | { place: number; fault: string }

/** The bytes that a record may have. A document of MongoDB may have 16 MB, its search words included. */
export const largest = 2 * 1024 * 1024

const byteOrderMark = '\ufeff'

/** Collects the bytes of one record from the chunks of its file. */
export class Pending {
  private parts: Buffer[] = []
  private size = 0

  add(bytes: Buffer) {
    this.size += bytes.length
    // What is too long to be a record is not kept: memory stays flat whatever the file holds.
    if (this.size <= largest) this.parts.push(bytes)
    else this.parts = []
  }

  /** The record, or nothing where there is only white space. */
  take(place: number): Piece | undefined {
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts)
    const { size } = this
    this.parts = []
    this.size = 0
    if (size > largest) return { place, fault: 'is longer than 2 MiB' }
    if (!isUtf8(bytes)) return { place, fault: 'is not valid UTF-8' }
    const text = bytes.toString('utf8')
    const clean = place === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text
    return clean.trim() === '' ? undefined : { place, text: clean }
  }
}

/** Takes a file apart as its chunks come. */
export interface Splitter {
  push(chunk: Buffer): Piece[]
  end(): Piece[]
}
