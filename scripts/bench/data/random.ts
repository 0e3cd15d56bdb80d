import { randomFrom as numbersFrom } from '../../../src/recommendations/model/random.js'

/** Choices that are the same in every run. */
export const randomFrom = (seed: number) => {
  const next = numbersFrom(seed)
  return {
    /** A whole number from 0 to below the bound. */
    below: (bound: number) => Math.floor(next() * bound),
    /** One of several. */
    of: <T>(choices: readonly T[]) => choices[Math.floor(next() * choices.length)] as T
  }
}
export type Random = ReturnType<typeof randomFrom>
