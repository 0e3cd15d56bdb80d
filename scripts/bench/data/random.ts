import { randomFrom as numbersFrom } from '../../../src/recommendations/model/random.js'

/** Random choices that are the same in every run. */
export const randomFrom = (seed: number) => {
  const next = numbersFrom(seed)
  return {
    /** An integer from 0 up to, but not including, the bound. */
    below: (bound: number) => Math.floor(next() * bound),
    /** One of the choices. */
    of: <T>(choices: readonly T[]) => choices[Math.floor(next() * choices.length)] as T
  }
}
export type Random = ReturnType<typeof randomFrom>
