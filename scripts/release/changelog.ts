const unreleased = '## Unreleased\n'

/** The changelog of a release: the Unreleased section becomes that of the version, and a new empty one is added. */
export const released = (changelog: string, version: string, date: string) => {
  const [before = '', after] = changelog.split(unreleased)
  if (after === undefined) throw new Error('The changelog has no section Unreleased')
  if (!/^[^#\s]/m.test(after.split(/^## /m, 1)[0] as string)) throw new Error('The changelog has nothing under Unreleased')
  return `${before}${unreleased}\n## ${version} (${date})\n${after}`
}
