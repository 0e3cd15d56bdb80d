import { CursorTimeoutMode } from 'mongodb'
import { minutes } from '../time.js'

/** Longer than in a request, because no user waits for an import. */
export const operationTimeout = { timeoutMS: minutes(2) }

/** For reads of whole collections. Applies to each batch. */
export const batchTimeout = { ...operationTimeout, timeoutMode: CursorTimeoutMode.ITERATION }
