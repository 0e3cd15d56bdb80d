import { readFile } from 'node:fs/promises'
import { released } from './changelog.js'

/** Called by `npm version` before it changes anything. Throws if the changelog has nothing to release. */
released(await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'), 'none', 'none')
