import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  within?: number
  every?: number
  /** What there is in its place, if it does not come. */
  instead?: () => Promise<string>
}

/** Asks until the answer is true, or an object, and resolves with it. `what` names it if it does not come in time. */
export const until = async <Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  { within = 120_000, every = 50, instead = async () => '' }: Patience = {}
): Promise<Exclude<Answer, undefined | null | false>> => {
  const end = performance.now() + within
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<Answer, undefined | null | false>
    if (performance.now() > end) throw new Error(`Not within ${within / 1000} s: ${what}${await instead()}`)
    await sleep(every)
  }
}
