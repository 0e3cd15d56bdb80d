import type { OnAir, OnAirQuery } from '../../schemas/on-air.js'
import type { Audience } from './audience.js'
import { json, jsonParts, listAnswer, withContent } from './bytes.js'
import type { Catalogue } from './catalogue.js'
import { type Programme, programmeToWire } from './programmes.js'

/** What is on now and next. Only contents that are not cached are read from the database. */
export const onAirAnswer = (catalogue: Catalogue, query: OnAirQuery, audience: Audience) => {
  const names = catalogue.schedule.channels.normalized(query.channel)
  const key = JSON.stringify(['on air', names, catalogue.skeleton.segment(audience)])
  return catalogue.answer(key, async () => {
    const moment = Date.now()
    const isShown = ({ content_id }: Programme) => catalogue.isOpen(content_id, audience, moment)
    const { channels, until } = catalogue.schedule.channels.onAir(names, moment, isShown)

    const ids = channels.flatMap(({ now, next }) => [now, next].flatMap(programme => programme?.content_id ?? []))
    const contents = (await catalogue.fragments.forPublicList(ids)).values()
    const part = (programme: Programme | undefined) => {
      const fragment = programme && contents.next().value
      return fragment ? withContent(programmeToWire(programme), fragment) : json(null)
    }
    const elements = channels.map(({ channel, now, next }) =>
      jsonParts<OnAir>([`{"channel":${JSON.stringify(channel)},"now":`, ...part(now), ',"next":', ...part(next), '}'])
    )
    return listAnswer(elements, until)
  })
}
