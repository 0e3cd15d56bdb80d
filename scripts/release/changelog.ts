const unreleased = '## Unreleased\n'

/** The changelog at a release: what was unreleased gets the version and the date, and an empty section takes its place. */
export const released = (changelog: string, version: string, date: string) => {
  const [before = '', after] = changelog.split(unreleased)
  if (after === undefined) throw new Error('The changelog has no section Unreleased')
  if (!/^[^#\s]/m.test(after.split(/^## /m, 1)[0] as string)) throw new Error('The changelog says nothing under Unreleased')
  return `${before}${unreleased}\n## ${version} (${date})\n${after}`
}
