import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

const isProgram = (path: string) => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The path of the Chromium that is installed, or that CHROMIUM names. Undefined if there is none. */
export const chromiumPath = () => {
  const { CHROMIUM, PATH = '' } = process.env
  const paths = CHROMIUM ? [CHROMIUM] : PATH.split(delimiter).flatMap(folder => names.map(name => join(folder, name)))
  return paths.find(isProgram)
}

export const startChromium = (executablePath: string) =>
  chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'] })
