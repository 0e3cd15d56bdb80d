import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { answers } from '../../../schemas/answers.js'
import { Ok } from '../../../schemas/common.js'
import { DeviceCodes, DeviceRequest } from '../../../schemas/device.js'
import { callerOf } from '../../../src/http/addresses.js'
import { ok } from '../../../src/http/reply.js'
import { optionalBody } from '../../../src/http/requests.js'
import { deviceLoginsOf } from '../../../src/identity/device-logins.js'

const schema = {
  summary: 'Get codes for a device without a keyboard',
  description:
    'The device shows `user_code` and the address of the page, and polls POST /login/device/token until a user has approved it there. Exists only if the operator has set `DEVICE_URL`.',
  tags: ['Identity'],
  body: DeviceRequest,
  response: answers(Ok(DeviceCodes), 413)
}

const route: FastifyPluginAsyncTypebox = async app => {
  const deviceLogins = deviceLoginsOf(app.data, app.settings)

  const options = { schema, config: { admission: 'public' }, preValidation: optionalBody } as const
  app.post('', options, async function getDeviceCodes({ body, ip }) {
    return ok(await deviceLogins.issue(body.device || null, callerOf(ip)))
  })
}
export default route
