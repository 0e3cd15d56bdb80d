/** The versions of the generators, of what their clients need, and of the linters. All of them are named here and nowhere else. */
export const versions = {
  // From Maven Central.
  openapiGenerator: '7.25.0',
  dependencyPlugin: '3.11.0',
  // From the Go module proxy.
  oapiCodegen: '2.8.2',
  oapiRuntime: '1.8.0',
  // From PyPI.
  openapiPythonClient: '0.29.1',
  httpx: '0.28.1',
  attrs: '25.4.0',
  dateutil: '2.9.0.post0',
  // From npm. Later versions of hey-api do not run on Node.js 20, and none runs with TypeScript 7.
  heyApi: '0.95.0',
  typescript: '6.0.3',
  redocly: '2.77.0',
  spectral: '6.16.3'
}

/** What the poms of the journeys refer to. */
export const mavenProperties = {
  'build-helper.version': '3.6.2',
  'exec.version': '3.6.4',
  'compiler.version': '3.15.0',
  'jackson.version': '2.21.5',
  'jackson-annotations.version': '2.21',
  'jackson-nullable.version': '0.2.11',
  'jakarta-annotation.version': '1.3.5',
  'jsr305.version': '3.0.2',
  'kotlin.version': '2.4.21',
  'moshi.version': '1.15.2',
  'okhttp.version': '5.4.0'
}
