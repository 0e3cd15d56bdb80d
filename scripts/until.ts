import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  within?: number
  every?: number
  /** Says for the error what was there instead. */
  instead?: () => Promise<string>
}

/** Asks again and again until the answer is truthy, and resolves with it. The error of a timeout says `what` was missing. */
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
