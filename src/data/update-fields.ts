// Values of fields in an update that may add the document.

/** This value if the update adds the document, else what is stored. */
export const ifNew = (field: string, value: unknown) => ({ $cond: [{ $eq: [{ $type: '$_id' }, 'missing'] }, value, `$${field}`] })

/** What is stored, or else this value. In a document that is there, it fills in a field that other software left out. */
export const orElse = (field: string, value: unknown) => ({ $ifNull: [`$${field}`, value] })
