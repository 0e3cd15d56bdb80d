/** An ISO 3166 code in upper case. */
export type Country = string

/** To whom contents are shown. */
export interface Audience {
  /** Undefined if it is unknown. */
  country: Country | undefined
  /** The age limit. It closes contents for older viewers and those without a known minimum age. Undefined without a limit. */
  maxAge: number | undefined
}

/** In an unknown country, without a limit. */
export const everybody: Audience = { country: undefined, maxAge: undefined }
