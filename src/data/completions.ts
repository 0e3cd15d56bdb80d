// An earlier version did not count completions. An element without `plays` that it left at or above COMPLETED_AT was completed once,
// at its `updated_at`.

/** Whether an element has such a completion, as an expression of the database. */
export const isUncounted = (completedAt: number) => ({
  $and: [{ $eq: [{ $type: '$plays' }, 'missing'] }, { $gte: [{ $ifNull: ['$percentage', 0] }, completedAt] }]
})

/** Matches the elements that were ever completed. */
export const watchedFilter = (completedAt: number) => ({
  $or: [{ plays: { $gte: 1 } }, { plays: { $exists: false }, percentage: { $gte: completedAt } }]
})

interface Completed {
  percentage: number
  updated_at: Date
  plays?: number
  watched_at?: Date
}

/** An element with such a completion added. */
export const counted = <Element extends Completed>(element: Element, completedAt: number): Element =>
  element.plays === undefined && element.percentage >= completedAt ? { ...element, plays: 1, watched_at: element.updated_at } : element
