import type { Data } from '../data/index.js'
import { Readings } from './readings.js'
import type { Viewer } from './tokens.js'

/** The age limits of profiles that were changed while tokens with the old limit may still be valid. */
export class ChangedAgeLimits {
  private limits = new Map<number, number | undefined>()
  private readonly readings = new Readings()

  constructor(private readonly data: Pick<Data, 'profiles' | 'revisions'>) {}

  /** The viewer with the current age limit. */
  current(viewer: Viewer): Viewer {
    if (!this.limits.has(viewer.id)) return viewer
    const { maxAge: _, ...others } = viewer
    const maxAge = this.limits.get(viewer.id)
    return maxAge === undefined ? others : { ...others, maxAge }
  }

  async refresh() {
    const revisions = await this.data.revisions.read()
    await this.readings.reread('limits', revisions.get('limits'), async () => {
      this.limits = await this.data.profiles.changedLimits()
    })
  }
}
