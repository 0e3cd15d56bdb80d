/** Keeps a sign-in that is tried on the page for all other calls. A script of the browser, which a transpiler must not touch. */
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
