import { rmSync } from 'node:fs'

const [folder = 'dist'] = process.argv.slice(2)
rmSync(new URL(`../${folder}`, import.meta.url), { recursive: true, force: true })
