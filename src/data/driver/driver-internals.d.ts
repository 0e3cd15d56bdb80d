// Parts of the driver that it does not export, of the version that package.json names.

declare module 'mongodb/lib/operations/run_command.js' {
  import type { ClientSession, Document, ReadPreference } from 'mongodb'

  export class RunCommandOperation {
    constructor(namespace: { withCollection: (name: string) => unknown }, command: Document, options: object)
    readPreference: ReadPreference
    session: ClientSession | undefined
    buildOptions(timeoutContext: unknown): object
    handleOk(response: { toBytes: () => Uint8Array }): Document
  }
}

declare module 'mongodb/lib/operations/execute_operation.js' {
  import type { Document, MongoClient } from 'mongodb'
  import type { RunCommandOperation } from 'mongodb/lib/operations/run_command.js'

  export const executeOperation: (client: MongoClient, operation: RunCommandOperation) => Promise<Document>
}

declare module 'mongodb/lib/utils.js' {
  export class MongoDBNamespace {
    constructor(db: string)
    withCollection(name: string): unknown
  }
}
