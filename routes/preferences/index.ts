import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { forViewers } from '../../plugins/authentication.js'
import { answers } from '../../schemas/answers.js'
import { Done, Ok } from '../../schemas/common.js'
import { IntegerId } from '../../schemas/path-ids.js'
import { Preferences, PreferencesChange } from '../../schemas/preferences.js'
import { storedTitleIdsOf } from '../../src/catalogue/contents.js'
import { done, ok } from '../../src/http/reply.js'
import { anyTitle } from '../../src/viewing/lists.js'

const shared = { tags: ['Preferences'], security: [{ bearer: [] }] }
const ofTitle = { ...shared, params: Type.Object({ contentId: IntegerId('Id of the item', 1405) }) }

const getSchema = {
  ...shared,
  summary: 'Get the preferred languages',
  description: 'The preferences of the profile. A title can have its own.',
  response: answers(Ok(Preferences), 401)
}
const putSchema = {
  ...shared,
  summary: 'Change the preferred languages',
  description: 'Sets the given fields; null clears a field. A body with neither returns 400.',
  body: PreferencesChange,
  response: answers(Done, 401, 413)
}
const deleteSchema = {
  ...shared,
  summary: 'Clear the preferred languages',
  description: 'Preferences of titles stay. Returns 404 if the profile has none.',
  response: answers(Done, 401, 404, 413)
}
const getTitleSchema = {
  ...ofTitle,
  summary: 'Get the preferred languages of a title',
  description: 'If the title has no preference, the value is that of the profile. The id of an episode or season stands for the show.',
  response: answers(Ok(Preferences), 401, 404)
}
const putTitleSchema = {
  ...ofTitle,
  summary: 'Change the preferred languages of a title',
  description:
    'Sets the given fields; null clears a field. The id of an episode or season stands for the show. Returns 404 for an unknown id, and for an item whose start date is in the future. A profile can have preferences for 1,000 titles; one more replaces those that were changed longest ago.',
  body: PreferencesChange,
  response: answers(Done, 401, 404, 413)
}
const deleteTitleSchema = {
  ...ofTitle,
  summary: 'Clear the preferred languages of a title',
  description: 'Those of the profile apply again. Returns 404 if the title has none.',
  response: answers(Done, 401, 404, 413)
}

/** Only the fields that are stored. */
const changeOf = ({ audio, subtitles }: PreferencesChange): PreferencesChange => ({
  ...(audio !== undefined && { audio }),
  ...(subtitles !== undefined && { subtitles })
})

const route: FastifyPluginAsyncTypebox = async app => {
  const { catalogue } = app
  const { preferences } = app.data

  const idsOf = (request: FastifyRequest, contentId: string) => storedTitleIdsOf(catalogue, contentId, app.audienceOf(request))

  app.get('', { schema: getSchema, ...forViewers }, async function getPreferences(request) {
    return ok(await preferences.get(app.viewerOf(request).id, [anyTitle]))
  })

  app.put('', { schema: putSchema, ...forViewers }, async function changePreferences(request) {
    await preferences.put(app.viewerOf(request).id, anyTitle, changeOf(request.body))
    return done(200, 'The preferences were changed')
  })

  app.delete('', { schema: deleteSchema, ...forViewers }, async function removePreferences(request) {
    await preferences.remove(app.viewerOf(request).id, [anyTitle])
    return done(200, 'The preferences were removed')
  })

  app.get('/:contentId', { schema: getTitleSchema, ...forViewers }, async function getTitlePreferences(request) {
    const { contentId } = request.params
    return ok(await preferences.get(app.viewerOf(request).id, [...idsOf(request, contentId), anyTitle]))
  })

  app.put('/:contentId', { schema: putTitleSchema, ...forViewers }, async function changeTitlePreferences(request) {
    const { id: user } = app.viewerOf(request)
    const [title, ...others] = idsOf(request, request.params.contentId)
    const change = changeOf(request.body)
    const cleared = Object.fromEntries(Object.entries(change).filter(([, value]) => value === null))
    // A value stored under another id of the title would apply again. Cleared first, because it may be moved to the title meanwhile.
    if (Object.keys(cleared).length > 0) for (const id of others) await preferences.put(user, id, cleared)
    await preferences.put(user, title, change)
    return done(200, 'The preferences were changed')
  })

  app.delete('/:contentId', { schema: deleteTitleSchema, ...forViewers }, async function removeTitlePreferences(request) {
    const { contentId } = request.params
    await preferences.remove(app.viewerOf(request).id, idsOf(request, contentId))
    return done(200, 'The preferences were removed')
  })
}
export default route
