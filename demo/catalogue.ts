import { demoContents, lines, parseAt, parseLinesAt, staticText } from './contents.js'
import { sizeOf } from './drawing.js'
import { demoSchedule } from './schedule.js'

/**
 * The demo catalogue as import files, by file name. The dates of the static files are shifted by whole days, so that the newest titles are
 * from yesterday and some are in the future. Pictures and links point to `origin`.
 */
export const demoFiles = async (origin: string, now: Date): Promise<Record<string, string>> => {
  const contents = await demoContents(now)
  const terms = parseLinesAt(now)(await staticText('terms.ndjson'))
  const people = parseLinesAt(now)(await staticText('people.ndjson'))
  const moved = async (name: string) => JSON.stringify(parseAt(now)(await staticText(name)), null, 2)
  return {
    'contents.ndjson': lines(
      contents.map(content => ({
        ...content,
        thumbnail: `${origin}/demo/thumbnails/${content.id}.svg`,
        images: (['poster', 'backdrop'] as const).map(kind => ({
          kind,
          url: `${origin}/demo/${kind}s/${content.id}.svg`,
          ...sizeOf(kind)
        })),
        link: `${origin}/title/${content.id}`
      }))
    ),
    'terms.ndjson': lines(terms),
    // Every fourth person has no picture, as in real catalogues.
    'people.ndjson': lines(
      people.map(person => ({ ...person, ...(person.id % 4 > 0 && { image: `${origin}/demo/portraits/${person.id}.svg` }) }))
    ),
    'rail-collections.json': await moved('rail-collections.json'),
    'legal.json': await moved('legal.json'),
    'support-texts.json': await moved('support-texts.json'),
    'schedule.ndjson': lines(demoSchedule(contents, terms, now))
  }
}
