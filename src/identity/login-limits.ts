// In a file of their own, because descriptions of settings and endpoints need these numbers without the code that applies them.

/** The window in which logins, PINs and the codes of devices are counted. */
export const loginWindowMinutes = 15

/** Successes for one e-mail or PIN from one address in a window. No honest user needs more. */
export const maxSuccessfulLogins = 1000
