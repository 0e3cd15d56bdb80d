// Values of fields in an update that may add the document.

/** Values that mean the same in an aggregation expression. A text is not one of them, because one that begins with `$` would name a field. */
type Literal = number | Date | '$$NOW'

/** Sets the field if the update adds the document. Otherwise keeps what is stored. */
export const ifNew = (field: string, value: Literal) => ({ $cond: [{ $eq: [{ $type: '$_id' }, 'missing'] }, value, `$${field}`] })

/** Keeps what is stored. Sets the field if it is missing, even in a document that exists: other software may have left it out. */
export const orElse = (field: string, value: Literal) => ({ $ifNull: [`$${field}`, value] })
