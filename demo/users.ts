/** Who can sign in to the demo, with one password for all. */
export const demoUsers = [
  { email: 'ada@example.com', name: 'Ada' },
  { email: 'ben@example.com', name: 'Ben' }
] as const
export const demoPassword = 'demo-password'
