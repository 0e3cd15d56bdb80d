export interface InterestSettings {
  /** Percentage from which a content counts as completed. */
  completedAt: number
  /** Percentage below which a content was barely started. */
  interestFrom: number
}

/** In seconds, for players that report no percentage. */
const barelyStarted = 60

/** The interest in a content that an element of the history shows: from 0 for a barely started film to 1 for a completed one. */
export const interestOf = (time: number, percentage: number, { completedAt, interestFrom }: InterestSettings) => {
  if (percentage === 0) return time < barelyStarted ? 0 : 0.5
  return percentage < interestFrom ? 0 : Math.min(1, 0.4 + (0.6 * percentage) / completedAt)
}

/** Counts the interest in a content for its title, as an episode counts for its show. A title has the highest interest of its contents. */
export const addInterest = (titles: Map<number, number>, title: number, interest: number) => {
  // Also skips elements with a broken time or percentage, whose interest is NaN.
  if (interest > (titles.get(title) ?? 0)) titles.set(title, interest)
}
