/** For processes of their own: tsx makes other code of the source than tap does, and their counts together would be false. */
export const uncounted = { _TAPJS_PROCESSINFO_COVERAGE_: '0' }
