import { Ajv } from 'ajv'
import { isSearch } from '../catalogue/words.js'
import { isProxyList } from '../http/proxies.js'
import { moment } from '../time.js'

/**
 * Checks input: requests, settings and import files. Reports every fault and fills in defaults. Does not coerce, because Ajv would turn
 * null into 0 and [5] into 5.
 */
export const inputAjv = new Ajv({
  allErrors: true,
  useDefaults: true,
  verbose: true,
  strict: false,
  strictNumbers: true,
  formats: {
    'date-time': text => moment(text) !== undefined,
    search: isSearch,
    proxies: isProxyList
  }
})

/** Checks output. Changes nothing, stops at the first fault, and accepts timestamps only in their wire form. */
export const wireAjv = new Ajv({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/ } })
