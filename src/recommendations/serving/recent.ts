import type { Skeleton } from '../../catalogue/skeleton.js'
import { days } from '../../time.js'

/** The first moment at which a content is no longer marked as recent. */
export const recentUntil = ({ starts }: Skeleton, row: number, recentDays: number) => starts.raw(row) + days(recentDays) + 1
