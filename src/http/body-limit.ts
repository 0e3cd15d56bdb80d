/** In bytes. */
export const bodyLimit = 64 * 1024
