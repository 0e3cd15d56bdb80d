/** The caller's country in upper case, where it is known. */
export type Country = string | undefined
