import { type Static, Type } from '@sinclair/typebox'
import { DoneWith, Nullable, Timestamp } from './common.js'
import { Content } from './content.js'
import { Ids, TitleId } from './lists.js'
import { PageQuery } from './page.js'
import { component, published } from './published.js'

const Previous = Type.Object(
  {
    time: Type.Number({ description: 'Playback position in seconds' }),
    percentage: Type.Number({ description: 'Percentage of the video watched' }),
    observed_at: Timestamp
  },
  { $id: 'PreviousPosition' }
)

/** A restart below this may be a mistake, so the position before it is kept. */
export const briefSeconds = 60

const own = {
  user_id: Type.Integer(),
  content_id: Type.Integer(),
  time: Type.Number({ description: 'Playback position in seconds' }),
  percentage: Type.Number({ description: 'Percentage of the video watched, from 0 to 100' }),
  plays: Type.Integer({ description: 'How often the item was completed' }),
  watched_at: Nullable({ ...Timestamp, description: 'When it was last completed' }),
  previous: Type.Union([Previous, Type.Null()], {
    description: `Where to resume if a restart was a mistake, otherwise null: the position before \`time\` fell below ${briefSeconds} seconds`
  }),
  created_at: Timestamp,
  updated_at: Timestamp
}
const _id = Type.String({ description: 'An id of 24 hexadecimal characters' })

export const HistoryElement = Type.Object({ _id, content: Content, ...own }, { $id: 'HistoryElement' })
export type HistoryElement = Static<typeof HistoryElement>

/** A history element without its content, for responses that have the content elsewhere or not at all. */
export const HistoryProgress = Type.Object({ _id, ...own }, { $id: 'HistoryProgress' })
export type HistoryProgress = Static<typeof HistoryProgress>

const progress = {
  time: Type.Optional(Type.Number({ minimum: 0, description: 'Playback position in seconds' })),
  percentage: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'Percentage of the video watched' })),
  observed_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When the player was at this position, for delayed reports. A report older than the stored one changes nothing'
    })
  )
}

export const ContentId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const ProgressReport = Type.Object({ content_id: ContentId, ...progress }, { $id: 'ProgressReport' })
export type ProgressReport = Static<typeof ProgressReport>

export const ProgressUpdate = published(
  Type.Object(progress, { $id: 'ProgressUpdate', anyOf: [{ required: ['time'] }, { required: ['percentage'] }] }),
  Type.Object(progress, { minProperties: 1, description: 'Requires `time` or `percentage`, or both' })
)
export type ProgressUpdate = Static<typeof ProgressUpdate>

export const maxReports = 200

/** Each report is checked separately. */
export const ProgressReports = published(
  Type.Object({ reports: Type.Array(Type.Unknown(), { minItems: 1, maxItems: maxReports }) }, { $id: 'ProgressReports' }),
  Type.Object({
    reports: Type.Array(component(ProgressReport), { minItems: 1, maxItems: maxReports, description: 'Each is a body of POST /history' })
  })
)

export const RefusedReport = Type.Object(
  { index: Type.Integer({ description: 'The position of the report in the list, from 0' }), code: Type.Integer(), message: Type.String() },
  { $id: 'RefusedReport' }
)
export type RefusedReport = Static<typeof RefusedReport>

export const SavedReports = DoneWith(
  Type.Object(
    {
      saved: Type.Integer({ description: 'How many reports were not refused, including late reports that changed nothing' }),
      refused: Type.Array(RefusedReport)
    },
    { $id: 'SavedAndRefused' }
  ),
  'SavedReports'
)

export const WatchedMark = Type.Object(
  {
    content_id: ContentId,
    watched: Type.Boolean(),
    up_to: Type.Optional(
      Type.Boolean({ description: 'Also marks the episodes before it in its show. Anything but an episode returns 400' })
    )
  },
  { $id: 'WatchedMark' }
)
export type WatchedMark = Static<typeof WatchedMark>

export const maxMarked = 2000

export const MarkedContents = DoneWith(
  Type.Object({ changed: Type.Integer({ description: 'How many items changed' }) }, { $id: 'MarkedCount' }),
  'MarkedContents'
)

const statuses = ['in_progress', 'completed', 'watched'] as const
export type HistoryStatus = (typeof statuses)[number]

export const HistoryQuery = Type.Object({
  content_id: Ids('Only elements of these items', 1405),
  title: TitleId('Only elements of this title: of the film, or of the show with its episodes. The id of any of them is accepted'),
  status: Type.Optional(
    Type.Unsafe<HistoryStatus>({
      type: 'string',
      enum: [...statuses],
      description:
        '`in_progress`: started but not completed. `completed`: the percentage is `COMPLETED_AT` or more. `watched`: completed at least once, whatever the current position'
    })
  ),
  ...PageQuery
})
