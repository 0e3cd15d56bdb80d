import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Only processes that tests start run these, from compiled code, which is not measured. */
const started = ['src/server.ts', 'src/process/serve.ts']

const covered = ['plugins', 'routes', 'schemas', 'src'].flatMap(folder =>
  readdirSync(folder, { recursive: true })
    .map(name => join(folder, name))
    .filter(path => path.endsWith('.ts') && !started.includes(path))
)

/** Tests have to cover the service as a whole, whichever file does. */
export default () => covered
