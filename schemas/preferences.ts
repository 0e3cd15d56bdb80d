import { type Static, Type } from '@sinclair/typebox'
import { Nullable, Timestamp } from './common.js'
import { published } from './published.js'

const longestTag = 35
/** The tags of BCP 47 that follow no rule. */
const irregularTag =
  '[Ii]-([Aa]mi|[Bb]nn|[Dd]efault|[Ee]nochian|[Hh]ak|[Kk]lingon|[Ll]ux|[Mm]ingo|[Nn]avajo|[Pp]wn|[Tt]a[oy]|[Tt]su)|[Ee]n-GB-oed|sgn-(BE-FR|BE-NL|CH-DE)'
const privateTag = '[Xx](-[A-Za-z0-9]{1,8})+'
/** BCP 47: language, script, region, variants, extensions, private use. */
const regularTag =
  '([A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}|[A-Za-z]{4,8})(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(-[A-WY-Za-wy-z0-9](-[A-Za-z0-9]{2,8})+)*(-[Xx](-[A-Za-z0-9]{1,8})+)?'
const languageTag = `(${regularTag}|${privateTag}|${irregularTag})`

/**
 * `off` has the form of a language tag, and apps would take other spellings of it for one. Not published, because some client languages
 * cannot express this.
 */
const exceptOff = '(?![Oo][Ff][Ff]$)'

const Tag = (pattern: string, rule: string, description: string) =>
  published(
    Nullable(Type.String({ pattern, maxLength: longestTag, 'x-rule': `${rule} of at most ${longestTag} characters` })),
    Nullable(Type.String({ pattern: pattern.replace(exceptOff, ''), maxLength: longestTag, description }))
  )
const Audio = Tag(`^${exceptOff}${languageTag}$`, 'a language tag', 'Language tag (BCP 47) of the audio. Null for none')
const Subtitles = Tag(
  `^(off|${exceptOff}${languageTag})$`,
  'a language tag or off,',
  'Language tag (BCP 47) of the subtitles, or `off`. Null for none'
)

export const preferenceFields = { audio: Type.Optional(Audio), subtitles: Type.Optional(Subtitles) }

export const PreferencesChange = published(
  Type.Object(preferenceFields, { $id: 'PreferencesChange', anyOf: [{ required: ['audio'] }, { required: ['subtitles'] }] }),
  Type.Object(preferenceFields, { minProperties: 1, description: 'Requires `audio` or `subtitles`, or both' })
)
export type PreferencesChange = Static<typeof PreferencesChange>

const values = {
  audio: Nullable(Type.String({ description: 'Language tag' })),
  subtitles: Nullable(Type.String({ description: 'Language tag, or `off`' }))
}

export const Preferences = Type.Object(values, { $id: 'Preferences' })
export type Preferences = Static<typeof Preferences>

export const NullableContentId = Nullable(Type.Integer({ description: 'Id of the title. Null for the preferences of the profile' }))

export const PreferencesEntry = Type.Object(
  { content_id: NullableContentId, ...values, updated_at: Timestamp },
  { $id: 'PreferencesEntry' }
)
export type PreferencesEntry = Static<typeof PreferencesEntry>
