import type { SkeletonContent } from '../data/contents.js'
import { isWireMoment } from '../time.js'

/** The highest minimum age that an import accepts. */
const oldest = 21

const isNothing = (value: unknown) => value === null || value === undefined
const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'
const isNumberOrNothing = (value: unknown) => isNothing(value) || isNumber(value)
const isDurationOrNothing = (value: unknown) => isNothing(value) || (Number.isFinite(value) && (value as number) > 0)
const isAgeOrNothing = (value: unknown) =>
  isNothing(value) || (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= oldest)
const isMomentOrNothing = (value: unknown) => isNothing(value) || isWireMoment(value)
const isListOrNothing = (value: unknown, isItem: (item: unknown) => boolean) =>
  isNothing(value) || (Array.isArray(value) && value.every(isItem))

/** Other software may have written contents whose fields are missing or wrong. */
export const fitsSkeleton = (content: SkeletonContent) =>
  Number.isSafeInteger(content._id) &&
  isText(content.type) &&
  isText(content.name) &&
  isNumberOrNothing(content.parent_id) &&
  isNumberOrNothing(content.weight) &&
  isNumberOrNothing(content.position) &&
  isDurationOrNothing(content.duration) &&
  isAgeOrNothing(content.min_age) &&
  isWireMoment(content.start_date) &&
  isMomentOrNothing(content.end_date) &&
  isWireMoment(content.created_at) &&
  isMomentOrNothing(content.deleted_at) &&
  isWireMoment(content.stamp) &&
  isListOrNothing(content.terms, isNumber) &&
  isListOrNothing(content.countries_include, isText) &&
  isListOrNothing(content.countries_exclude, isText)
