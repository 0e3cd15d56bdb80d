import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Series } from '../../prometheus/server.js'
import type { panels } from '../board.js'

const run = promisify(execFile)
const here = import.meta.dirname

export interface Drawing {
  /** In seconds. */
  began: number
  ended: number
  /** Each panel with the answers to its queries. */
  panels: { panel: (typeof panels)[number]; results: Series[][] }[]
}

/** In pixels. A row of Grafana's grid takes 38 with its gap. */
const width = 1440
const rowHeight = 38
const scale = 0.7

const html = '<!doctype html><meta charset="utf-8"><style>body{margin:0}</style><div id="board"></div>'

/** Draws the board with the components of Grafana, in a browser, into a file. Its extension says the format: .png or .webp. */
export const drawBoard = async (drawing: Drawing, file: string, say: (line: string) => void) => {
  await installComponents(say)
  const folder = await mkdtemp(join(tmpdir(), 'viewer-board-'))
  try {
    const script = join(folder, 'page.js')
    const loaders = ['svg', 'woff2', 'ttf'].map(extension => `--loader:.${extension}=dataurl`)
    const options = ['--bundle', '--jsx=automatic', '--define:process.env.NODE_ENV="production"', '--log-level=error', ...loaders]
    await run(join(here, 'node_modules', '.bin', 'esbuild'), [join(here, 'page.jsx'), `--outfile=${script}`, ...options])
    const data = JSON.stringify({ ...drawing, width }).replaceAll('<', '\\u003c')
    const page = join(folder, 'page.html')
    await writeFile(page, `${html}<link rel="stylesheet" href="page.css"><script>board=${data}</script><script src="page.js"></script>`)
    await takePicture(page, heightOf(drawing), resolve(file), folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The components are a separate package, installed only when the board is drawn. */
const installComponents = async (say: (line: string) => void) => {
  if (existsSync(join(here, 'node_modules', '@grafana', 'ui'))) return
  say('installing the components of Grafana (400 MB)')
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: here })
}

const heightOf = ({ panels }: Drawing) => rowHeight * Math.max(...panels.map(({ panel: { gridPos } }) => gridPos.y + gridPos.h)) + rowHeight

const takePicture = async (page: string, height: number, file: string, folder: string) => {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  const size = [`--window-size=${width},${height}`, `--force-device-scale-factor=${scale}`, '--hide-scrollbars']
  const browser = ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(folder, 'browser')}`]
  const options = [...browser, ...quiet, ...size, '--virtual-time-budget=8000', `--screenshot=${file}`]
  await run(process.env.CHROMIUM ?? 'chromium', [...options, `file://${page}`]).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error('The board is drawn by Chromium: install it, or set CHROMIUM to its path') : error
  })
}
