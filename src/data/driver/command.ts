import { BSON, type Db, type Document } from 'mongodb'
import { executeOperation } from 'mongodb/lib/operations/execute_operation.js'
import { RunCommandOperation } from 'mongodb/lib/operations/run_command.js'
import { MongoDBNamespace } from 'mongodb/lib/utils.js'

/**
 * The driver copies the options of a command three times, each time by `{ ...options, more }`. Of such an object V8 makes a
 * hidden class of its own up to Node 20: five sixths of what a list of history left to the collector of old garbage, whose work
 * is what the slowest answers wait for. Written out, all options of all commands are of one class.
 */
class Command extends RunCommandOperation {
  override buildOptions(timeoutContext: unknown) {
    const { session, readPreference } = this
    return { session, readPreference, timeoutContext, signal: undefined, directConnection: undefined }
  }

  override handleOk(response: { toBytes: () => Uint8Array }): Document {
    return BSON.deserialize(response.toBytes())
  }
}

/** What `db.command` does with no options. */
export const commandOf = (db: Db) => {
  const namespace = new MongoDBNamespace(db.databaseName)
  const options = { timeoutMS: db.timeoutMS }
  return (command: Document) => executeOperation(db.client, new Command(namespace, command, options))
}
