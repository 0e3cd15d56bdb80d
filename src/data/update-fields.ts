// Values of fields in an update that may add the document.

/** Values that stand for themselves in an expression, and the time. Texts are not among them: one that begins with `$` names a field. */
type Plain = number | Date | '$$NOW' | ReturnType<typeof notAfterNow>

/** The moment, or now if it is later: GET /changes leaves out what is dated in the future. */
export const notAfterNow = (moment: Date) => ({ $min: [moment, '$$NOW'] })

/** Sets the field if the update adds the document. Otherwise keeps what is stored. */
export const ifNew = (field: string, value: Plain) => ({ $cond: [{ $eq: [{ $type: '$_id' }, 'missing'] }, value, `$${field}`] })

/** Keeps what is stored. Sets the field if it is missing, even in a document that exists: other software may have left it out. */
export const orElse = (field: string, value: Plain) => ({ $ifNull: [`$${field}`, value] })
