/** Options of a command whose values are numbers, each with its usual value. */
export const sizeOptions = <Name extends string>(usual: Record<Name, string>) =>
  Object.fromEntries(Object.entries(usual).map(([name, value]) => [name, { type: 'string', default: value }])) as Record<
    Name,
    { type: 'string'; default: string }
  >

/** Readers of what a command line says, which answer what cannot be with the usage of the command. */
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

    /** Those that are asked for, or all. */
    some: (kind: string, all: readonly string[], asked: string[]) => {
      const unknown = asked.find(name => !all.includes(name))
      if (unknown) throw wrong(`There is no ${kind} ${unknown}; there are: ${all.join(', ')}`)
      return asked.length > 0 ? asked : [...all]
    }
  }
}
