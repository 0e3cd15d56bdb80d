import type { demoHistory } from './history.js'

type Viewer = { name: string } & Pick<Parameters<typeof demoHistory>[0][number], 'taste'>

/** The users who can sign in to the demo. All have the same password. */
export const demoUsers: [Viewer & { email: string }, Viewer & { email: string }] = [
  { email: 'ada@example.com', name: 'Ada', taste: 'outdoors' },
  { email: 'ben@example.com', name: 'Ben', taste: 'stories' }
]
export const demoPassword = 'demo-password'

/** The other profiles in the household of the first user. */
export const demoProfiles: (Viewer & { max_age: number | null; pin?: string })[] = [
  { name: 'Tom', max_age: null, pin: '4071', taste: 'evenings' },
  { name: 'Mia', max_age: 6, taste: 'family' }
]
