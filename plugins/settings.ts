import fp from 'fastify-plugin'
import type { Settings } from '../src/config.js'

declare module 'fastify' {
  interface FastifyInstance {
    settings: Settings
  }
}

export default fp<{ settings: Settings }>(
  async (app, { settings }) => {
    app.decorate('settings', settings)
  },
  { name: 'settings' }
)
