/** Splits a comma-separated list and trims its items. Ignores all after the first `most`. */
export const itemsOf = (text: string, most?: number) => text.split(',', most).map(item => item.trim())
