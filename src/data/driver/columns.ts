import { BSON } from 'mongodb'

// Types of BSON.
const double = 1
const date = 9
const nothing = 10
const int32 = 16

/** The values of each field, with undefined for rows that lack it. */
type Columns<Row> = { [Field in keyof Row]: (Row[Field] | undefined)[] }

/**
 * The fields of raw documents as columns: `values`, and `moments` in milliseconds. The driver would make an object of each document, which
 * takes four times as long. Only numbers, dates and null are read here; documents with anything else are left to the driver.
 */
export const columnsOf = <Row>(
  documents: readonly Buffer[],
  values: readonly (keyof Row & string)[],
  moments: readonly (keyof Row & string)[] = []
): Columns<Row> => {
  const names = [...values, ...moments]
  const fields = names.map(name => Buffer.from(`${name}\0`))
  const columns = names.map(() => Array<unknown>(documents.length).fill(undefined))
  documents.forEach((document, row) => {
    if (readFields(document, fields, columns, row, values.length)) return
    const read = BSON.deserialize(document)
    for (const [field, name] of names.entries()) {
      const value = read[name]
      ;(columns[field] as unknown[])[row] = field < values.length ? value : millisecondsOf(value)
    }
  })
  return Object.fromEntries(names.map((name, field) => [name, columns[field]])) as Columns<Row>
}

const millisecondsOf = (value: unknown) => (value instanceof Date ? value.getTime() : undefined)

/** Returns false if the document holds anything else. The fields from `firstMoment` on are dates. */
const readFields = (document: Buffer, fields: Buffer[], columns: unknown[][], row: number, firstMoment: number) => {
  // Its first four bytes are its length.
  let at = 4
  for (let type = document[at++]; type !== 0; type = document[at++]) {
    const field = fieldAt(document, at, fields)
    if (field < 0 || (type === date) !== field >= firstMoment) return false
    const column = columns[field] as unknown[]
    at += (fields[field] as Buffer).length
    if (type === int32) {
      column[row] = document.readInt32LE(at)
      at += 4
    } else if (type === double) {
      column[row] = document.readDoubleLE(at)
      at += 8
    } else if (type === date) {
      column[row] = document.readUInt32LE(at) + document.readInt32LE(at + 4) * 2 ** 32
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
