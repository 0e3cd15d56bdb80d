/** What a reader of the document has to know before the first operation. */
export const introduction = `The viewer-side backend of a streaming app.

**Sign in** with \`POST /login\` and send the \`access_token\` as \`Authorization: Bearer …\`; \`POST /login/refresh\` gives the next pair before it ends. (On this page: try \`POST /login\`, and the token is kept for all other calls.)

**Answers.** A read is \`{success: true, data}\`, a write \`{success: true, code, message}\`, an error \`{success: false, code, message}\`; faults of the input name their fields in \`errors\`, and the 401 has no \`code\`. The key \`"message "\` with a trailing space stands beside \`message\` for clients of the old platform.

**Lists** take \`perPage\` (20, at most 100) and \`page\`; \`next_page\` is a number or \`false\`. A parameter of several values takes them separated by commas or repeated, at most 100; no value of a query is longer than 200 characters.

**Try again** after a 429 or a 503, once \`Retry-After\` seconds have passed: a repeated write does no harm. Public answers carry an \`ETag\`; with \`If-None-Match\` what has not changed is a 304 without a body.`

/** The operations in the order in which one meets them. */
export const tags = [
  { name: 'Identity', description: 'Sign in, stay signed in, sign out. Absent where the operator has an identity provider.' },
  { name: 'Catalogue', description: 'What there is to watch, as the caller may see it.' },
  { name: 'History', description: 'What was watched and how far. Players report here.' },
  { name: 'Continue watching', description: 'One card a show: the place to resume or the next episode.' },
  { name: 'Watchlist', description: 'What was saved for later.' },
  { name: 'Recommendations', description: 'What to watch next, and why.' },
  { name: 'Texts', description: "Legal and support texts in the caller's language." },
  { name: 'Service', description: 'For balancers and operators.' }
]
