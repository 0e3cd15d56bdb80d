// Apart from the code that applies them, because the descriptions of settings and endpoints name them, too.

/** The window in which logins, PINs and the codes of devices are counted. */
export const loginWindowMinutes = 15

/** Successes for one e-mail or PIN from one address in a window. No honest user needs more. */
export const maxSuccessfulLogins = 1000
