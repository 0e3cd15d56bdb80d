/**
 * Notes each arrival of a document as a sign that the database answers: a large catalogue, or all that a large import writes, may
 * take minutes to read, and is not stale meanwhile.
 */
export const noting = async function* <T>(documents: AsyncIterable<T>, catalogue: { checkedAt: number }) {
  for await (const document of documents) {
    catalogue.checkedAt = Date.now()
    yield document
  }
}
