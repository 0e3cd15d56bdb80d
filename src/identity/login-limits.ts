// Apart from the code that applies them, because the descriptions of settings and endpoints name them, too.

/** The window in which failed logins are counted. */
export const loginWindowMinutes = 15

/** Successful logins for one e-mail from one address in a window. No honest user needs more. */
export const maxSuccessfulLogins = 1000
