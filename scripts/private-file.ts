import { Output } from './recommend/output.js'

const readableByOwner = 0o600

/** Writes a file that only its owner may read, and that appears when it is complete. */
export const writePrivateFile = async (path: string, pieces: AsyncIterable<string>) => {
  const output = await Output.at(path, { mode: readableByOwner })
  try {
    await output.begin()
    for await (const piece of pieces) await output.write(piece)
    await output.end()
  } catch (error) {
    await output.remove()
    throw error
  }
}
