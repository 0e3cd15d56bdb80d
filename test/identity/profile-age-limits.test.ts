import t from 'tap'
import { profileAgeLimitsOf } from '../../src/identity/profiles.js'
import { addUser, build } from '../helpers/app.js'
import { profileOf } from '../helpers/devices.js'

t.test('a profile that could not be removed has no limit again', async t => {
  const app = await build(t)
  const { profiles, users } = app.data
  const account = await addUser(app)
  const limits = profileAgeLimitsOf(app.data)
  const [tom, gone] = [await profileOf(app, account), await profileOf(app, account)]
  const fault = new Error('the database went away')
  const failing = async () => {
    throw fault
  }
  await t.rejects(limits.whileRemoving(account._id, tom, failing), fault)
  t.equal((await profiles.byId(account._id, tom._id)).max_age, null)

  const removing = async () => {
    await users.remove(gone._id)
    return failing()
  }
  await t.rejects(limits.whileRemoving(account._id, gone, removing), fault, 'also if there is nothing to restore')
})
