import { orderFields } from '../../../schemas/contents-query.js'
import { maxPerPage } from '../../../schemas/page.js'
import { integerId } from '../../ids.js'
import { wordsOf } from '../../words.js'

const each = (test: (value: string) => boolean) => (text: string) => text.split(',').every(test)
const isWord = (text: string) => /^[A-Za-z0-9_-]+$/.test(text)
const isId = (text: string) => integerId(text) !== undefined

const ids = { test: each(isId), expected: 'ids with commas between them' }

/** The parameters of GET /contents. What this refuses is what following the rail would be refused for. */
const parameters = new Map([
  ['type', { test: each(isWord), expected: 'types of letters, digits, - and _ with commas between them' }],
  ['parent_id', ids],
  ['terms', ids],
  ['ids', ids],
  ['search', { test: (text: string) => wordsOf(text).length > 0, expected: 'a text with a letter or digit' }],
  ['order_by', { test: (text: string) => orderFields.some(field => field === text), expected: `one of ${orderFields.join(', ')}` }],
  ['order_direction', { test: (text: string) => /^(asc|desc)$/i.test(text), expected: 'ASC or DESC' }],
  ['perPage', { test: (text: string) => isId(text) && Number(text) <= maxPerPage, expected: `an integer from 1 to ${maxPerPage}` }],
  ['page', { test: isId, expected: 'an integer from 1' }]
])

type Value = string | number
const isValue = (value: unknown): value is Value => typeof value === 'string' || typeof value === 'number'
const isGiven = (value: unknown): value is Value | Value[] => isValue(value) || (Array.isArray(value) && value.every(isValue))

/** A checked query as it stands in the address of its rail. */
export const queryOf = (query: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))

export const queryFaults = (query: Record<string, unknown>) => {
  const faults = new Map<string, string>()
  if (query.type === undefined) faults.set('type', 'is required')
  for (const [name, value] of Object.entries(query)) {
    const parameter = parameters.get(name)
    if (!parameter) faults.set(name, 'is not a parameter of GET /contents')
    else if (!isGiven(value) || !parameter.test(String(value))) faults.set(name, `must be ${parameter.expected}`)
  }
  return faults
}
