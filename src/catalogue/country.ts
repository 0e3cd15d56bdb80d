/** An ISO 3166 code in upper case. */
export type Country = string
