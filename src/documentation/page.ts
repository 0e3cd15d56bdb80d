/** Uses the token of a `POST /login` on the page for all later calls. A string, because it runs in the browser as it is. */
export const keepSignIn = `
const build = window.SwaggerUIBundle

const keep = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        setResponse: (setResponse, { authActions }) => (path, method, answer) => {
          const token = answer.body?.data?.access_token
          const schema = { type: 'http', scheme: 'bearer' }
          if (token) authActions.authorizeWithPersistOption({ bearer: { name: 'bearer', schema, value: token } })
          return setResponse(path, method, answer)
        }
      }
    }
  }
})
window.SwaggerUIBundle = Object.assign(config => build({ ...config, plugins: [...config.plugins, keep] }), build)
`

export const uiConfig = {
  layout: 'BaseLayout',
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0
}
