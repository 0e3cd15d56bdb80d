import { randomFrom } from '../../../src/recommendations/model/random.js'

/** Random choices that are the same in every run. */
export const choicesFrom = (seed: number) => {
  const next = randomFrom(seed)
  return {
    /** An integer from 0 up to, but not including, the bound. */
    below: (bound: number) => Math.floor(next() * bound),
    /** One of the choices. */
    of: <T>(choices: readonly T[]) => choices[Math.floor(next() * choices.length)] as T
  }
}
export type Choices = ReturnType<typeof choicesFrom>
