import { readdirSync } from 'node:fs'

const here = new URL('../', import.meta.url)

/** The tests of folders in one process: in one for each file, the service would be loaded as many times. */
export const together = async (...folders: string[]) => {
  for (const folder of folders)
    for (const file of readdirSync(new URL(folder, here)))
      if (file.endsWith('.test.ts')) await import(new URL(`${folder}/${file}`, here).href)
}
