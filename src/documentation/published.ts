interface Node {
  'x-published'?: object
  type?: unknown
  format?: string
}

/** Keywords for the validator of the service alone. */
const ownKeywords = ['x-rule', 'x-upper-case']

/** Without a format, client generators choose types that are too small for ids and too coarse for seconds. */
const formatOf = ({ type, format }: Node) => {
  const types = [type].flat()
  if (format !== undefined || types.includes('string')) return format
  if (types.includes('integer')) return 'int64'
  return types.includes('number') ? 'double' : undefined
}

/** Gives all schemas a form that client generators can handle. */
export const asPublished = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(asPublished)
  if (typeof node !== 'object' || node === null) return node
  const { 'x-published': form, ...exact } = node as Node
  if (form) return asPublished(form)
  const parts = Object.entries(exact).filter(([keyword]) => !ownKeywords.includes(keyword))
  const format = formatOf(exact)
  return { ...Object.fromEntries(parts.map(([key, part]) => [key, asPublished(part)])), ...(format !== undefined && { format }) }
}
