import { CursorTimeoutMode } from 'mongodb'
import { minutes } from '../../time.js'

/** Nobody waits for one of an import's operations as a caller of the service does. */
export const patience = { timeoutMS: minutes(2) }

/** For reads of whole collections: the time is that of each batch. */
export const patienceWithEach = { ...patience, timeoutMode: CursorTimeoutMode.ITERATION }
