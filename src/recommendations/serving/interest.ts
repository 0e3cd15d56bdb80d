export interface InterestSettings {
  /** Percentage from which on a content counts as completed. */
  completedAt: number
  /** Percentage below which a content was barely started. */
  interestFrom: number
}

/** For players that report the time alone. */
const barelyStarted = 60

/** How much interest in a content an element of history tells of, 0 to 1: a start of a few seconds is none, a completed film is all. */
export const interestOf = (time: number, percentage: number, { completedAt, interestFrom }: InterestSettings) => {
  if (percentage === 0) return time < barelyStarted ? 0 : 0.5
  return percentage < interestFrom ? 0 : Math.min(1, 0.4 + (0.6 * percentage) / completedAt)
}
