/** The users who can sign in to the demo. All have the same password. */
export const demoUsers = [
  { email: 'ada@example.com', name: 'Ada' },
  { email: 'ben@example.com', name: 'Ben' }
] as const
export const demoPassword = 'demo-password'
