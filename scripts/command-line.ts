/** Options with numeric values, and their defaults. */
export const sizeOptions = <Name extends string>(defaults: Record<Name, string>) =>
  Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }])) as Record<
    Name,
    { type: 'string'; default: string }
  >

/** Readers for command line values. Invalid values throw an error that ends with the usage. */
export const readersOf = (usage: string) => {
  const wrong = (sentence: string) => new Error(`${sentence}\n${usage}`)
  return {
    positive: (name: string, text: string) => {
      if (!/^\d*\.?\d+$/.test(text) || Number(text) === 0) throw wrong(`--${name} must be a number above 0`)
      return Number(text)
    },

    whole: (name: string, text: string) => {
      if (!/^[1-9]\d*$/.test(text)) throw wrong(`--${name} must be a whole number above 0`)
      return Number(text)
    },

    /** The requested names, or all if none are requested. */
    some: (kind: string, all: readonly string[], asked: string[]) => {
      const unknown = asked.find(name => !all.includes(name))
      if (unknown) throw wrong(`There is no ${kind} ${unknown}, only: ${all.join(', ')}`)
      return asked.length > 0 ? asked : [...all]
    }
  }
}
