import { BSON } from 'mongodb'

// Types of BSON.
const double = 1
const nothing = 10
const int32 = 16

/**
 * The fields of raw documents as columns, in the order of `names`. The driver would make an object of each document, which takes four
 * times as long. Only numbers are read here; documents with anything else are left to the driver.
 */
export const columnsOf = (documents: readonly Buffer[], names: readonly string[]): unknown[][] => {
  const fields = names.map(name => Buffer.from(`${name}\0`))
  const columns = names.map(() => Array<unknown>(documents.length).fill(undefined))
  documents.forEach((document, row) => {
    if (readNumbers(document, fields, columns, row)) return
    const values = BSON.deserialize(document)
    for (const [field, name] of names.entries()) (columns[field] as unknown[])[row] = values[name]
  })
  return columns
}

/** Returns false if the document has another field, or a value of another type. */
const readNumbers = (document: Buffer, fields: Buffer[], columns: unknown[][], row: number) => {
  // Its first four bytes are its length.
  let at = 4
  for (let type = document[at++]; type !== 0; type = document[at++]) {
    const field = fieldAt(document, at, fields)
    if (field < 0) return false
    const column = columns[field] as unknown[]
    at += (fields[field] as Buffer).length
    if (type === int32) {
      column[row] = document.readInt32LE(at)
      at += 4
    } else if (type === double) {
      column[row] = document.readDoubleLE(at)
      at += 8
    } else if (type === nothing) column[row] = null
    else return false
  }
  return true
}

const fieldAt = (document: Buffer, at: number, fields: Buffer[]) => {
  for (let field = 0; field < fields.length; field++) if (startsWith(document, at, fields[field] as Buffer)) return field
  return -1
}

const startsWith = (document: Buffer, at: number, name: Buffer) => {
  for (let i = 0; i < name.length; i++) if (document[at + i] !== name[i]) return false
  return true
}
