/**
 * Takes each document that arrives as a sign that the database answers. Reading a large catalogue, or all that a large import has
 * written, may take minutes, and the catalogue in memory must not become stale meanwhile.
 */
export const keepingFresh = async function* <T>(documents: AsyncIterable<T>, catalogue: { checkedAt: number }) {
  for await (const document of documents) {
    catalogue.checkedAt = Date.now()
    yield document
  }
}
