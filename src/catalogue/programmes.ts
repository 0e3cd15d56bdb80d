import type { Programme as Sent } from '../../schemas/programme.js'
import type { ProgrammeDocument } from '../data/programmes.js'
import { timestamp } from '../time.js'
import { isServable } from './servable.js'

export interface Programme {
  id: number
  channel: string
  starts: number
  ends: number
  content_id: number
}

/** Sorted by start. */
export const readProgrammes = async (
  documents: AsyncIterable<ProgrammeDocument>,
  onBroken: (ids: unknown[]) => void
): Promise<Programme[]> => {
  const programmes: Programme[] = []
  const broken: unknown[] = []
  for await (const programme of documents) {
    if (!isServable.programmes(programme)) {
      broken.push(programme._id)
      continue
    }
    const { _id, channel, starts_at, ends_at, content_id } = programme
    programmes.push({ id: _id, channel, starts: starts_at.getTime(), ends: ends_at.getTime(), content_id })
  }
  onBroken(broken)
  return programmes.sort((a, b) => a.starts - b.starts || a.id - b.id)
}

export const programmeToWire = ({ id, channel, starts, ends }: Programme): Omit<Sent, 'content'> => ({
  id,
  channel,
  starts_at: timestamp(new Date(starts)),
  ends_at: timestamp(new Date(ends))
})
